import { useMemo, useState } from 'react';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/format.ts';
import styles from './results.module.css';

/** Number of characters of a long text that are shown before the user expands the text. */
const SHOWN = 1200;

const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Normalizes a word for comparison: ignores case, width and accents. */
const foldWord = (word: string) =>
  word
    .normalize('NFKD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();

export function collectWords(text: string): Set<string> {
  const found = new Set<string>();
  for (const { segment, isWordLike } of words.segment(text)) if (isWordLike) found.add(foldWord(segment));
  return found;
}

/** Splits a text into words of the query, which are marked, and everything else. */
export function splitIntoPieces(text: string, query: Set<string>): { text: string; isMarked: boolean }[] {
  const pieces: { text: string; isMarked: boolean }[] = [];
  for (const { segment, isWordLike } of words.segment(text)) {
    const isMarked = isWordLike === true && query.has(foldWord(segment));
    const last = pieces.at(-1);
    if (last && !isMarked && !last.isMarked) last.text += segment;
    else pieces.push({ text: segment, isMarked });
  }
  return pieces;
}

/** Passage with the words of the query highlighted. */
export function MarkedText({ text, query }: { text: string; query: Set<string> }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > SHOWN * 1.25;
  const shown = isLong && !isWhole ? `${text.slice(0, SHOWN)}…` : text;
  const pieces = useMemo(() => splitIntoPieces(shown, query), [shown, query]);
  return (
    <>
      <p className={styles.text} dir="auto">
        {pieces.map(({ text: piece, isMarked }, at) => {
          // biome-ignore lint/suspicious/noArrayIndexKey: a piece is identified by its position
          return isMarked ? <mark key={at}>{piece}</mark> : piece;
        })}
      </p>
      {isLong && (
        <Button look="quiet" small aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? t('Show less') : t('Show all {count} characters', { count: count(text.length) })}
        </Button>
      )}
    </>
  );
}
