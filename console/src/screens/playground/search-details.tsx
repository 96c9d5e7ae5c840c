import { duration } from '../../ui/format.ts';
import { describeFilters, type Filters } from './filter-values.ts';
import styles from './search-details.module.css';
import type { Retrieval } from './use-retrieval.ts';

const STAGES: Record<string, string> = {
  route: 'Choosing the mode',
  infer_filters: 'Inferring filters',
  embedding: 'Embedding the query',
  search: 'Searching',
  dense: 'Semantic search',
  sparse: 'Keyword search',
  rerank: 'Reranking',
  choose_files: 'Choosing files',
  screenshots: 'Page images',
  figures: 'Figures',
};

const NOTES: Record<string, string> = {
  retrieval_mode: 'Mode',
  alpha: 'Alpha',
  embedding: 'Embedder',
  reranker: 'Reranker',
  router: 'Router',
  file_choice: 'File selection',
  filter_inference: 'Filter inference',
  sink: 'Vector store',
};

const toLabel = (name: string) => name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());
const formatSeconds = (seconds: number) =>
  seconds < 1 ? `${Math.max(1, Math.round(seconds * 1000))} ms` : duration(seconds);

/** Shows how a search was run: the time of each stage and the settings that applied. */
export function SearchDetails({ answer }: { answer: Retrieval }) {
  const { total, ...stages } = answer.retrieval_latency ?? {};
  const notes = Object.entries(answer.metadata ?? {});
  const inferred = answer.inferred_search_filters as Filters | null | undefined;
  return (
    <details className={styles.details}>
      <summary>
        Search details
        {total !== undefined && <span className={styles.total}>{formatSeconds(total)}</span>}
      </summary>
      {inferred && inferred.filters.length > 0 && (
        <p>
          Filters inferred from the query: <strong>{describeFilters(inferred)}</strong>
        </p>
      )}
      <dl className={styles.facts}>
        {notes.map(([name, text]) => (
          <div key={name}>
            <dt>{NOTES[name] ?? toLabel(name)}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {Object.keys(stages).length > 0 && (
        <dl className={styles.stages}>
          {Object.entries(stages).map(([name, seconds]) => (
            <div key={name}>
              <dt>{STAGES[name] ?? toLabel(name)}</dt>
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
