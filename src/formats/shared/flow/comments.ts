import type { Flow } from './flow.ts';
import { isBlank, type Run } from './runs.ts';

export interface ShownComment {
  /** Name of the author. Empty if the file does not name one. */
  author: string;
  isReply?: boolean;
  /** What the comment is about, such as the name of a cell. */
  place?: string | undefined;
  runs: readonly Run[];
}

/** Removes the name of the author, which Excel writes as the first line of a comment on a cell. */
export const dropAuthorLine = (text: string, author: string): string =>
  (author !== '' && text.startsWith(`${author}:`) ? text.slice(author.length + 1) : text).trim();

/** Longer names are cut, because each comment of an author repeats the name. */
const MAX_NAME = 200;

/**
 * Writes a comment as a quote that names its author, so that readers do not take it for the text of the
 * document.
 */
export function writeComment(flow: Flow, { author, isReply, place, runs }: ShownComment): void {
  if (isBlank(runs)) return;
  const name = author.slice(0, MAX_NAME);
  const label = `${isReply ? 'Reply' : 'Comment'}${place ? ` on ${place}` : ''}${name ? ` by ${name}` : ''}:`;
  flow.quote(() => flow.paragraph([{ text: label, bold: true }, { text: ' ' }, ...dropLeadingSpace(runs)]));
}

function dropLeadingSpace(runs: readonly Run[]): Run[] {
  const start = runs.findIndex((run) => run.markdown !== undefined || run.text.trim() !== '');
  return runs.slice(start).map((run, at) => (at === 0 ? { ...run, text: run.text.trimStart() } : run));
}
