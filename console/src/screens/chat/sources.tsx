import { useState } from 'react';
import { t } from '../../i18n/messages.ts';
import { formatScore } from '../../ui/format.ts';
import { Tabs } from '../../ui/tabs.tsx';
import styles from './answer.module.css';
import { type ChatMessage, collectCitedIds, formatPageRange, type Source } from './messages.ts';

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
