import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { dropPictureLinks } from '../../../../src/lib/text/picture-links.ts';
import { call } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectId } from '../../shell/project.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { count, formatScore } from '../../ui/format.ts';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import styles from './retrievers.module.css';

type Result = Answer<'POST /api/v1/retrievers/{retriever_id}/retrieve'>;
type Found = Result['nodes'][number];

/** Searches a retriever. The question is part of the page's address. */
export function RetrieverPlayground({ id }: { id: string }) {
  const [search, setSearch] = useSearchParams();
  const query = search.get('q') ?? '';
  const [text, setText] = useState(query);
  const project = useProjectId();
  const read = useQuery<Result, ApiError>({
    queryKey: ['retriever-results', project, id, query],
    queryFn: ({ signal }) =>
      call(
        'POST /api/v1/retrievers/{retriever_id}/retrieve',
        { params: { retriever_id: id }, body: { query } },
        signal,
      ),
    enabled: query !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const asked = text.trim();
    if (asked === query) void read.refetch();
    else if (asked) {
      setSearch((before) => {
        const after = new URLSearchParams(before);
        after.set('q', asked);
        return after;
      });
    }
  };
  return (
    <div className={styles.playground}>
      <form className={styles.ask} onSubmit={ask}>
        <TextField
          label={t('Question')}
          hideLabel
          placeholder={t('Search all indexes')}
          value={text}
          maxLength={20_000}
          onChange={(event) => setText(event.target.value)}
        />
        <Button look="primary" icon="search" type="submit" busy={read.isFetching} disabled={!text.trim()}>
          {t('Search')}
        </Button>
      </form>
      {read.error && (
        <Failure error={read.error} what={t('The search failed')} onRetry={() => void read.refetch()} />
      )}
      {query && read.isPending && !read.error && <Skeleton />}
      {read.data && <Results result={read.data} />}
    </div>
  );
}

function Results({ result: { nodes, metadata, retrieval_latency } }: { result: Result }) {
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
