declare module '*/tesseract-core-simd-lstm.js' {
  const start: import('./engine.ts').StartTesseract;
  export default start;
}
