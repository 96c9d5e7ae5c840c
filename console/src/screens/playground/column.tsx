import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { Pictures } from './pictures.tsx';
import type { Ranks } from './ranks.ts';
import { rankById } from './ranks.ts';
import styles from './results.module.css';
import { Results } from './results.tsx';
import { SearchDetails } from './search-details.tsx';
import type { Settings } from './settings.ts';
import { getNodeId, type Retrieval, useRetrieval, withoutCutOff } from './use-retrieval.ts';

interface ColumnProps {
  /** Name of the column in a comparison, "A" or "B". Absent if there is only one column. */
  name?: string;
  indexId: string;
  query: string;
  words: Set<string>;
  settings: Settings;
  /** True if metadata filters apply. An empty result then mentions the filters as a possible reason. */
  isFiltered: boolean;
  read: UseQueryResult<Retrieval, ApiError>;
  ranksBefore?: Ranks | undefined;
}

/** Shows the search results for one set of parameters. */
export function Column({
  name,
  indexId,
  query,
  words,
  settings,
  isFiltered,
  read,
  ranksBefore,
}: ColumnProps) {
  const answer = read.data;
  const found = answer?.retrieval_nodes ?? [];
  const label = name ? t('Results of {name}', { name }) : t('Results');
  return (
    <section className={styles.column} aria-label={name ?? t('Results')} aria-busy={read.isFetching}>
      {name && <h2>{name}</h2>}
      {read.error && (
        <Failure
          error={read.error}
          what={t('The search failed')}
          onRetry={read.error.retryable ? () => void read.refetch() : undefined}
        />
      )}
      {read.isLoading && <Skeleton rows={6} label={t('Searching')} />}
      {answer && !read.error && (
        <div className={classes(styles.answer, read.isPlaceholderData && styles.old)}>
          <p className={styles.sum} role="status">
            {t('{count, plural, one {# result} other {# results}}', { count: found.length })}
          </p>
          <SearchDetails answer={answer} />
          {found.length === 0 ? (
            <NoResults answer={answer} isFiltered={isFiltered} />
          ) : (
            <Results label={label} indexId={indexId} found={found} query={words} ranksBefore={ranksBefore} />
          )}
          <Pictures answer={answer} indexId={indexId} />
          <CutOff
            key={JSON.stringify([query, settings])}
            indexId={indexId}
            query={query}
            words={words}
            settings={settings}
            answer={answer}
          />
        </div>
      )}
    </section>
  );
}

function NoResults({ answer, isFiltered }: { answer: Retrieval; isFiltered: boolean }) {
  if (answer.metadata?.sink?.startsWith('none')) {
    return (
      <Empty icon="index" title={t('This index was never synced')}>
        {t('Sync it, then search again.')}
      </Empty>
    );
  }
  return (
    <Empty icon="search" title={t('No results')}>
      {isFiltered
        ? t('No passage that matches the filters answers this query. Remove a filter or rephrase the query.')
        : t('No passage matches this query. Rephrase it or lower the minimum similarity.')}
    </Empty>
  );
}

type CutOffProps = Pick<ColumnProps, 'indexId' | 'query' | 'words' | 'settings'> & { answer: Retrieval };

/**
 * Shows passages that were found but left out of the result. The search for them runs only when the user asks
 * for it.
 */
function CutOff({ indexId, query, words, settings, answer }: CutOffProps) {
  const [isOpen, setOpen] = useState(false);
  const all = useRetrieval(indexId, query, withoutCutOff(settings), isOpen);
  if (answer.metadata?.retrieval_mode !== 'chunks') return null;
  if (!isOpen) {
    return (
      <div>
        <Button look="quiet" small icon="down" onClick={() => setOpen(true)}>
          {t('Show results that were cut off')}
        </Button>
      </div>
    );
  }
  const shown = rankById(answer.retrieval_nodes);
  const rest = all.data?.retrieval_nodes.filter((each) => !shown.has(getNodeId(each)));
  return (
    <section className={styles.cut} aria-label={t('Cut off')}>
      {all.isLoading && <Skeleton rows={3} label={t('Searching')} />}
      {all.error && <Failure error={all.error} what={t('The search failed')} />}
      {rest && (
        <p role="status">
          {rest.length === 0
            ? t('Nothing was cut off. All results are shown above.')
            : t(
                '{count, plural, one {# passage} other {# passages}} removed by the minimum similarity or by reranking:',
                { count: rest.length },
              )}
        </p>
      )}
      {rest && rest.length > 0 && (
        <Results label={t('Cut off')} indexId={indexId} found={rest} query={words} />
      )}
    </section>
  );
}
