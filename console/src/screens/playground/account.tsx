import { duration } from '../../ui/format.ts';
import styles from './account.module.css';
import { type Filters, sentenceOf } from './filter-values.ts';
import type { Retrieval } from './use-retrieval.ts';

const STAGES: Record<string, string> = {
  route: 'Choosing the mode',
  infer_filters: 'Reading filters',
  embedding: 'Embedding the query',
  search: 'Searching',
  dense: 'By meaning',
  sparse: 'By words',
  rerank: 'Reranking',
  choose_files: 'Choosing files',
  screenshots: 'Page pictures',
  figures: 'Figures',
};

const NOTES: Record<string, string> = {
  retrieval_mode: 'Mode',
  alpha: 'Alpha',
  embedding: 'Embedder',
  reranker: 'Reranker',
  router: 'Mode chosen by',
  file_choice: 'Files chosen by',
  filter_inference: 'Filters read by',
  sink: 'Kept in',
};

const inWords = (name: string) => name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());
const milliseconds = (seconds: number) =>
  seconds < 1 ? `${Math.max(1, Math.round(seconds * 1000))} ms` : duration(seconds);

/** How the answer came about: what it took, stage by stage, and what was in force. */
export function Account({ answer }: { answer: Retrieval }) {
  const { total, ...stages } = answer.retrieval_latency ?? {};
  const notes = Object.entries(answer.metadata ?? {});
  const inferred = answer.inferred_search_filters as Filters | null | undefined;
  return (
    <details className={styles.account}>
      <summary>
        How it was found
        {total !== undefined && <span className={styles.total}>{milliseconds(total)}</span>}
      </summary>
      {inferred && inferred.filters.length > 0 && (
        <p>
          Filters read from the query: <strong>{sentenceOf(inferred)}</strong>
        </p>
      )}
      <dl className={styles.facts}>
        {notes.map(([name, text]) => (
          <div key={name}>
            <dt>{NOTES[name] ?? inWords(name)}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {Object.keys(stages).length > 0 && (
        <dl className={styles.stages}>
          {Object.entries(stages).map(([name, seconds]) => (
            <div key={name}>
              <dt>{STAGES[name] ?? inWords(name)}</dt>
              <dd>{milliseconds(seconds)}</dd>
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
