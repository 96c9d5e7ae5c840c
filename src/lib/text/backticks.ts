/** Returns the length of the longest run of backticks in a text; 0 if it has none. Takes linear time. */
export function longestBacktickRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/**
 * Returns the shortest fence for a Markdown code block: at least three backticks, and more than the code has
 * in a row.
 */
export function codeFence(code: string): string {
  return '`'.repeat(Math.max(3, longestBacktickRun(code) + 1));
}

/**
 * Returns the shortest delimiter for Markdown code within a line: more backticks than the code has in a row.
 */
export function codeSpanMark(code: string): string {
  return '`'.repeat(longestBacktickRun(code) + 1);
}
