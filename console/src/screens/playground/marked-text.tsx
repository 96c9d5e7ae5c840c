import { useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/format.ts';
import styles from './results.module.css';

/** Characters that are shown of a longer text, until all of it is asked for. */
const SHOWN = 1200;

const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Alike for the eye of a searcher: without case, width and accents. */
const folded = (word: string) =>
  word
    .normalize('NFKD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();

export function wordsOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const { segment, isWordLike } of words.segment(text)) if (isWordLike) found.add(folded(segment));
  return found;
}

/** The text in pieces that are words of the query and pieces that are not; in one pass. */
export function piecesOf(text: string, query: Set<string>): { text: string; isMarked: boolean }[] {
  const pieces: { text: string; isMarked: boolean }[] = [];
  for (const { segment, isWordLike } of words.segment(text)) {
    const isMarked = isWordLike === true && query.has(folded(segment));
    const last = pieces.at(-1);
    if (last && !isMarked && !last.isMarked) last.text += segment;
    else pieces.push({ text: segment, isMarked });
  }
  return pieces;
}

/** A passage as it was found, the words of the query marked in it. */
export function MarkedText({ text, query }: { text: string; query: Set<string> }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > SHOWN * 1.25;
  const shown = isLong && !isWhole ? `${text.slice(0, SHOWN)}…` : text;
  const pieces = useMemo(() => piecesOf(shown, query), [shown, query]);
  return (
    <>
      <p className={styles.text}>
        {pieces.map(({ text: piece, isMarked }, at) => {
          // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place in the text
          return isMarked ? <mark key={at}>{piece}</mark> : piece;
        })}
      </p>
      {isLong && (
        <Button look="quiet" small aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${count(text.length)} characters`}
        </Button>
      )}
    </>
  );
}
