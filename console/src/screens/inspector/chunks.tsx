import { useState } from 'react';
import { t } from '../../i18n/messages.ts';
import { Checkbox } from '../../ui/field.tsx';
import { count } from '../../ui/format.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { ChunkFacts } from './chunk-facts.tsx';
import { ChunkList } from './chunk-list.tsx';
import styles from './inspector.module.css';
import type { Chunk, Chunks as ReadChunks } from './use-chunks.ts';

interface ChunksProps {
  indexId: string;
  chunks: ReadChunks;
  chosen: Chunk | undefined;
  /** Error that occurred while the selected chunk was loaded. */
  error: unknown;
  find: string;
  onFind: (words: string) => void;
  onChoose: (chunk: Chunk) => void;
}

/** Lists the chunks of a file in document order. */
export function Chunks({ indexId, chunks, chosen, error, find, onFind, onChoose }: ChunksProps) {
  const [isSource, setSource] = useState(false);
  const words = find.trim();
  return (
    <section className={styles.pane} aria-label={t('Chunks')}>
      <div className={styles.tools}>
        <SearchField label={t('Find in the chunks')} value={find} onSearch={onFind} />
        <span className={styles.count} role="status">
          {words
            ? t('{total} of {count, plural, one {# chunk} other {# chunks}}', {
                total: count(chunks.total),
                count: chunks.count,
              })
            : t('{count, plural, one {# chunk} other {# chunks}}', { count: chunks.count })}
        </span>
        <span className={styles.end}>
          <Checkbox
            label={t('Source')}
            checked={isSource}
            onChange={(event) => setSource(event.target.checked)}
          />
        </span>
      </div>
      {error != null && <Failure error={error} what={t('The chosen chunk could not be read')} />}
      {chosen && <ChunkFacts indexId={indexId} chunk={chosen} />}
      {chunks.error && (
        <Failure
          error={chunks.error}
          what={t('The chunks could not be read')}
          onRetry={() => void chunks.refetch()}
        />
      )}
      {chunks.total > 0 ? (
        <ChunkList {...{ chunks, chosen, isSource, words, onChoose }} />
      ) : chunks.isPending ? (
        <Skeleton rows={8} />
      ) : (
        <NoChunks isFinding={words !== ''} />
      )}
    </section>
  );
}

const NoChunks = ({ isFinding }: { isFinding: boolean }) =>
  isFinding ? (
    <Empty icon="search" title={t('No chunk contains this text')} />
  ) : (
    <Empty icon="file" title={t('No chunks')}>
      {t('The file has not been indexed yet, or no text was found in it.')}
    </Empty>
  );
