/** Bytes of a font file that wrangler's Data rule adds to the Worker. */
declare module '*.ttf' {
  const bytes: ArrayBuffer;
  export default bytes;
}
