/** How often a text may be searched to its end in vain. */
const MOST_VAIN_SEARCHES = 100;
/** Longer parts are searched by their beginning: a search for a long part may compare all of it at each place. */
const LONGEST_SEARCHED = 1_000;

/**
 * Finds the parts of a text one after the other, and returns where each begins, or -1 if it is not behind the part
 * before it. Takes time linear in the length of the text and the parts: after many parts that are nowhere, a part is
 * found only right behind the one before it.
 */
export function findInOrder(text: string, parts: readonly string[]): number[] {
  let from = 0;
  let next = 0;
  let vain = 0;
  return parts.map((part) => {
    next = Math.max(next, from);
    while (next < text.length && text[next] === '\n') next++;
    let at = text.startsWith(part, from) ? from : text.startsWith(part, next) ? next : -1;
    if (at < 0 && vain < MOST_VAIN_SEARCHES) {
      at = text.indexOf(part.slice(0, LONGEST_SEARCHED), from);
      if (at >= 0 && !text.startsWith(part, at)) at = -1;
      if (at < 0) vain += 1;
    }
    if (at >= 0) from = at + part.length;
    return at;
  });
}
