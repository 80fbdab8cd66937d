package analysis
const maxBody = 64 << 10
