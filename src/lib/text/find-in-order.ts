/** Maximum number of failed searches that may each run to the end of the text. */
const MAX_FAILED_SEARCHES = 100;
/**
 * Maximum length of a searched part, in characters. Of a longer part only its beginning is searched, because
 * a search may compare the whole part at every position.
 */
const MAX_SEARCHED_LENGTH = 1_000;

/**
 * Finds the parts of a text one after the other. Returns where each part begins, or -1 if it does not occur
 * after the previous part. Takes time linear in the length of the text and the parts: after many failed
 * searches, a part is found only directly after the previous part.
 */
export function findInOrder(text: string, parts: readonly string[]): number[] {
  let from = 0;
  let next = 0;
  let failedSearches = 0;
  return parts.map((part) => {
    next = Math.max(next, from);
    while (next < text.length && text[next] === '\n') next++;
    let at = text.startsWith(part, from) ? from : text.startsWith(part, next) ? next : -1;
    if (at < 0 && failedSearches < MAX_FAILED_SEARCHES) {
      at = text.indexOf(part.slice(0, MAX_SEARCHED_LENGTH), from);
      if (at >= 0 && !text.startsWith(part, at)) at = -1;
      if (at < 0) failedSearches += 1;
    }
    if (at >= 0) from = at + part.length;
    return at;
  });
}
