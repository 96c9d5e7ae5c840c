import { useState } from 'react';
import { t } from '../../i18n/messages.ts';
import { formatScore } from '../../ui/format.ts';
import { Tabs } from '../../ui/tabs.tsx';
import styles from './answer.module.css';
import type { TextRange } from './mark-ranges.ts';
import {
  type ChatMessage,
  collectCitedIds,
  findQuotedSentences,
  formatPageRange,
  type Source,
} from './messages.ts';

type Which = 'cited' | 'retrieved';

/** Lists either the passages that an answer cites, or all passages that were retrieved for the answer. */
export function Sources({
  message,
  sources,
  onOpen,
}: {
  message: ChatMessage;
  sources: readonly Source[];
  onOpen: (source: Source) => void;
}) {
  const [which, setWhich] = useState<Which>('cited');
  const ids = collectCitedIds(message);
  const cited = sources.filter(({ node_id }) => ids.has(node_id));
  const shown = which === 'cited' ? cited : sources;
  const tabs = [
    { key: 'cited', label: t('Cited {count}', { count: cited.length }) },
    { key: 'retrieved', label: t('Retrieved {count}', { count: sources.length }) },
  ] as const;
  return (
    <div>
      <Tabs label={t('Sources of the answer')} tabs={tabs} chosen={which} onChoose={setWhich}>
        {shown.length > 0 ? (
          <ul className={styles.sources}>
            {shown.map((source) => (
              <li key={source.node_id}>
                <SourceButton source={source} onOpen={onOpen} />
                {which === 'cited' && (
                  <Quotation
                    text={source.text}
                    range={findQuotedSentences([message], source.node_id).ranges[0]}
                  />
                )}
              </li>
            ))}
          </ul>
        ) : (
          <p className={styles.none}>{t('The answer cites none of the retrieved passages.')}</p>
        )}
      </Tabs>
    </div>
  );
}

function SourceButton({ source, onOpen }: { source: Source; onOpen: (source: Source) => void }) {
  const { citation, title, score, retriever_pipeline_name } = source;
  const where = [formatPageRange(source), retriever_pipeline_name].filter(Boolean).join(' · ');
  return (
    <button type="button" className={styles.source} onClick={() => onOpen(source)}>
      <span className={styles.number}>{citation}</span>
      <span className={styles.name} dir="auto">
        {title} {where && <span className={styles.where}>{where}</span>}
      </span>
      {score != null && (
        <span className={styles.score}>
          <span className="visually-hidden">{t('score')} </span>
          {formatScore(score)}
        </span>
      )}
    </button>
  );
}

/** Number of characters shown before and after a quoted sentence, and maximum number of its own. */
const CONTEXT_LENGTH = 90;
const MAX_QUOTATION_LENGTH = 400;

/** Sentence that the answer quotes, between the words around it. Shows nothing if the text does not contain it. */
function Quotation({ text, range }: { text: string; range: TextRange | undefined }) {
  if (!range || range.end > text.length) return null;
  const { start } = range;
  const end = Math.min(range.end, start + MAX_QUOTATION_LENGTH);
  const from = Math.max(0, start - CONTEXT_LENGTH);
  const to = end + CONTEXT_LENGTH;
  return (
    <p className={styles.quotation} dir="auto">
      {from > 0 && '… '}
      {toPlain(trimFirstWord(text.slice(from, start), from > 0))}
      <mark>{toPlain(text.slice(start, end))}</mark>
      {toPlain(text.slice(end, to))}
      {to < text.length && ' …'}
    </p>
  );
}

/** Removes common Markdown from a piece of text, and keeps the blanks at its ends. */
const toPlain = (text: string) => text.replace(/\*\*|`|^#{1,6} |\|/gm, '').replace(/\s+/g, ' ');

/** Removes the first word of a text if the text begins within a word. */
const trimFirstWord = (text: string, isCut: boolean) => (isCut ? text.replace(/^\S+\s/, '') : text);
