import { type FormEvent, useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { dropPictureLinks } from '../../../../src/lib/text/picture-links.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { count, formatScore } from '../../ui/format.ts';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { Panel } from '../playground/panel.tsx';
import { Pictures } from '../playground/pictures.tsx';
import bench from '../playground/playground.module.css';
import { clearSettings, parseSettings, setSetting } from '../playground/settings.ts';
import type { Retriever } from './retriever-form.tsx';
import styles from './retrievers.module.css';
import {
  buildQuery,
  type Found,
  type Result,
  toParameterError,
  useRetrieverSearch,
} from './use-retriever-search.ts';

/**
 * Searches a retriever with chosen parameters. The page's address contains the question and the parameters. Empty
 * parameters use the defaults of each index.
 */
export function RetrieverPlayground({ retriever }: { retriever: Retriever }) {
  const [search, setSearch] = useSearchParams();
  const query = search.get('q') ?? '';
  const isRouted = search.get('routing') === 'true';
  const settings = parseSettings(search, '');
  const read = useRetrieverSearch(retriever.id, buildQuery(query, settings, isRouted));
  const change = (act: (search: URLSearchParams) => void, replace = true) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        act(next);
        return next;
      },
      { replace },
    );
  const ask = (asked: string) => {
    if (asked === query) void read.refetch();
    else change((next) => next.set('q', asked), false);
  };
  return (
    <div className={bench.bench}>
      <div className={styles.playground}>
        <Question query={query} isBusy={read.isFetching} onAsk={ask} />
        <a className={bench.jump} href="#parameters">
          {t('Parameters')}
        </a>
        {query === '' && (
          <Empty icon="search" title={t('Enter a question')}>
            {t('See which passages the indexes find together, and try other parameters.')}
          </Empty>
        )}
        {read.error && (
          <Failure error={read.error} what={t('The search failed')} onRetry={() => void read.refetch()} />
        )}
        {query && read.isPending && !read.error && <Skeleton />}
        {read.data && !read.error && <Results result={read.data} />}
      </div>
      <aside className={bench.side} aria-label={t('Parameters')}>
        <h2 id="parameters">{t('Parameters')}</h2>
        <Select
          label={t('Searched indexes')}
          value={String(isRouted)}
          choices={[
            { value: 'false', label: t('All') },
            { value: 'true', label: t('Chosen for each question') },
          ]}
          onChange={({ target: { value } }) =>
            change((next) => (value === 'true' ? next.set('routing', value) : next.delete('routing')))
          }
        />
        <Panel
          indexIds={[...new Set(retriever.pipelines.map(({ pipeline_id }) => pipeline_id))]}
          settings={settings}
          error={read.error && toParameterError(read.error)}
          effectiveAlpha={undefined}
          onSet={(name, value) => change((next) => setSetting(next, '', name, value))}
        />
        <div>
          <Button
            small
            disabled={!isRouted && Object.keys(settings).length === 0}
            onClick={() =>
              change((next) => {
                clearSettings(next, '');
                next.delete('routing');
              })
            }
          >
            {t('Reset')}
          </Button>
        </div>
      </aside>
    </div>
  );
}

function Question({
  query,
  isBusy,
  onAsk,
}: {
  query: string;
  isBusy: boolean;
  onAsk: (query: string) => void;
}) {
  const [text, setText] = useState(query);
  useEffect(() => setText(query), [query]);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim()) onAsk(text.trim());
  };
  return (
    <form className={styles.ask} onSubmit={ask}>
      <TextField
        label={t('Question')}
        hideLabel
        placeholder={t('Search all indexes')}
        value={text}
        maxLength={20_000}
        onChange={(event) => setText(event.target.value)}
      />
      <Button look="primary" icon="search" type="submit" busy={isBusy} disabled={!text.trim()}>
        {t('Search')}
      </Button>
    </form>
  );
}

function Results({ result }: { result: Result }) {
  const { nodes, metadata, retrieval_latency } = result;
  const unavailable = Object.values(metadata?.pipelines ?? {}).flatMap(({ unavailable: why }) => why ?? []);
  const seconds = Object.values(retrieval_latency ?? {}).reduce((sum, each) => sum + each, 0);
  return (
    <>
      {unavailable.map((why) => (
        <p key={why} className={styles.unavailable} role="status">
          {t('An index could not be searched: {why}', { why })}
        </p>
      ))}
      <p className={styles.summary} role="status">
        {t('{count, plural, one {# passage} other {# passages}}', { count: nodes.length })}
        {seconds > 0 && ` ${t('in {ms} ms', { ms: count(Math.round(seconds * 1000)) })}`}
      </p>
      {nodes.length > 0 ? (
        <ol className={styles.results}>
          {nodes.map((found) => (
            <li key={found.node.id}>
              <Passage found={found} />
            </li>
          ))}
        </ol>
      ) : (
        <Empty icon="search" title={t('No results')}>
          {t('No index has a passage that matches this question.')}
        </Empty>
      )}
      <Pictures answer={result} />
    </>
  );
}

function Passage({ found: { node, score } }: { found: Found }) {
  const pathTo = useProjectPath();
  const { file_name, page_label } = node.metadata;
  const name = typeof file_name === 'string' ? file_name : t('Text');
  return (
    <article className={styles.result}>
      <header className={styles.resultHead}>
        <h2>{name}</h2>
        {(typeof page_label === 'string' || typeof page_label === 'number') && (
          <span className={styles.faint}>{t('page {page}', { page: page_label })}</span>
        )}
        <Link to={pathTo(`/indexes/${node.pipeline_id}`)}>
          <Badge icon="index">{node.retriever_pipeline_name}</Badge>
        </Link>
        {score != null && (
          <span className={styles.score}>{t('score {score}', { score: formatScore(score) })}</span>
        )}
      </header>
      <p className={styles.passage}>{dropPictureLinks(node.text ?? '')}</p>
    </article>
  );
}
