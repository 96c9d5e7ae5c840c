import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiError } from '../../api/errors.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { plural } from '../../ui/format.ts';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { Account } from './account.tsx';
import type { Moves } from './moves.ts';
import { placesOf } from './moves.ts';
import { Pictures } from './pictures.tsx';
import styles from './results.module.css';
import { Results } from './results.tsx';
import type { Settings } from './settings.ts';
import { idOf, type Retrieval, uncut, useRetrieval } from './use-retrieval.ts';

interface ColumnProps {
  /** "A"; absent while there is one column only. */
  name?: string;
  indexId: string;
  query: string;
  words: Set<string>;
  settings: Settings;
  /** Whether filters are in force: then they may be why nothing was found. */
  isFiltered: boolean;
  read: UseQueryResult<Retrieval, ApiError>;
  moves?: Moves | undefined;
}

/** What one set of parameters finds. */
export function Column({ name, indexId, query, words, settings, isFiltered, read, moves }: ColumnProps) {
  const answer = read.data;
  const found = answer?.retrieval_nodes ?? [];
  const label = name ? `Results of ${name}` : 'Results';
  return (
    <section className={styles.column} aria-label={name ?? 'What was found'} aria-busy={read.isFetching}>
      {name && <h2>{name}</h2>}
      {read.error && (
        <Failure
          error={read.error}
          what="The search failed"
          onRetry={read.error.retryable ? () => void read.refetch() : undefined}
        />
      )}
      {read.isLoading && <Skeleton rows={6} label="Searching" />}
      {answer && !read.error && (
        <div className={classes(styles.answer, read.isPlaceholderData && styles.old)}>
          <p className={styles.sum} role="status">
            {plural(found.length, 'result')}
          </p>
          <Account answer={answer} />
          {found.length === 0 ? (
            <Nothing answer={answer} isFiltered={isFiltered} />
          ) : (
            <Results label={label} indexId={indexId} found={found} query={words} moves={moves} />
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

function Nothing({ answer, isFiltered }: { answer: Retrieval; isFiltered: boolean }) {
  if (answer.metadata?.sink?.startsWith('none')) {
    return (
      <Empty icon="index" title="This index was never synced">
        Sync it, then ask again.
      </Empty>
    );
  }
  return (
    <Empty icon="search" title="Nothing was found">
      {isFiltered
        ? 'No passage that passes the filters answers this. Take a filter away, or ask in other words.'
        : 'No passage has these words or comes near their meaning. Ask in other words, or lower the cut-off.'}
    </Empty>
  );
}

type CutOffProps = Pick<ColumnProps, 'indexId' | 'query' | 'words' | 'settings'> & { answer: Retrieval };

/** What the search found and the answer leaves out; searched for when it is asked for. */
function CutOff({ indexId, query, words, settings, answer }: CutOffProps) {
  const [isOpen, setOpen] = useState(false);
  const all = useRetrieval(indexId, query, uncut(settings), isOpen);
  if (answer.metadata?.retrieval_mode !== 'chunks') return null;
  if (!isOpen) {
    return (
      <div>
        <Button look="quiet" small icon="down" onClick={() => setOpen(true)}>
          What was cut off?
        </Button>
      </div>
    );
  }
  const shown = placesOf(answer.retrieval_nodes);
  const rest = all.data?.retrieval_nodes.filter((each) => !shown.has(idOf(each)));
  return (
    <section className={styles.cut} aria-label="Cut off">
      {all.isLoading && <Skeleton rows={3} label="Searching" />}
      {all.error && <Failure error={all.error} what="The search failed" />}
      {rest && (
        <p role="status">
          {rest.length === 0
            ? 'Nothing: all that was found is above.'
            : `${plural(rest.length, 'passage')} found and left out by the cut-off or by reranking:`}
        </p>
      )}
      {rest && rest.length > 0 && <Results label="Cut off" indexId={indexId} found={rest} query={words} />}
    </section>
  );
}
