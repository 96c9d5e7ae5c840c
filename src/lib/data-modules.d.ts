/** Bytes of a file that wrangler's Data rule adds to the script. */
declare module '*.ttf' {
  const bytes: ArrayBuffer;
  export default bytes;
}
