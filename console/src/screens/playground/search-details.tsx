import { rich, t } from '../../i18n/messages.ts';
import { duration } from '../../ui/format.ts';
import { describeFilters, type Filters } from './filter-values.ts';
import styles from './search-details.module.css';
import type { Retrieval } from './use-retrieval.ts';

const getStages = (): Record<string, string> => ({
  route: t('Choosing the mode'),
  infer_filters: t('Inferring filters'),
  embedding: t('Embedding the query'),
  search: t('Searching'),
  dense: t('Semantic search'),
  sparse: t('Keyword search'),
  rerank: t('Reranking'),
  choose_files: t('Choosing files'),
  screenshots: t('Page images'),
  figures: t('Figures'),
});

const getNotes = (): Record<string, string> => ({
  retrieval_mode: t('Mode'),
  alpha: t('Alpha'),
  embedding: t('Embedder'),
  reranker: t('Reranker'),
  router: t('Router'),
  file_choice: t('File selection'),
  filter_inference: t('Filter inference'),
  sink: t('Vector store'),
});

const toLabel = (name: string) => name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());
const formatSeconds = (seconds: number) =>
  seconds < 1 ? t('{ms} ms', { ms: Math.max(1, Math.round(seconds * 1000)) }) : duration(seconds);

/** Shows how a search was run: the time of each stage and the settings that applied. */
export function SearchDetails({ answer }: { answer: Retrieval }) {
  const { total, ...stages } = answer.retrieval_latency ?? {};
  const notes = Object.entries(answer.metadata ?? {});
  const inferred = answer.inferred_search_filters as Filters | null | undefined;
  return (
    <details className={styles.details}>
      <summary>
        {t('Search details')}
        {total !== undefined && <span className={styles.total}>{formatSeconds(total)}</span>}
      </summary>
      {inferred && inferred.filters.length > 0 && (
        <p>
          {rich('Filters inferred from the query: <strong>{filters}</strong>', {
            filters: describeFilters(inferred),
            strong: (chunks) => <strong>{chunks}</strong>,
          })}
        </p>
      )}
      <dl className={styles.facts}>
        {notes.map(([name, text]) => (
          <div key={name}>
            <dt>{getNotes()[name] ?? toLabel(name)}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {Object.keys(stages).length > 0 && (
        <dl className={styles.stages}>
          {Object.entries(stages).map(([name, seconds]) => (
            <div key={name}>
              <dt>{getStages()[name] ?? toLabel(name)}</dt>
              <dd>{formatSeconds(seconds)}</dd>
              <span className={styles.track} aria-hidden="true">
                <span style={{ width: `${Math.min(100, (seconds / Math.max(total ?? 0, 1e-9)) * 100)}%` }} />
              </span>
            </div>
          ))}
        </dl>
      )}
    </details>
  );
}
