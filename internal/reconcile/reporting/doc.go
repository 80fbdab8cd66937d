// Package reporting writes what reconciles have found and done where people look: events, metrics and change logs.
package reporting
