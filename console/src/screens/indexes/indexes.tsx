import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { requestOf } from '../../api/client.ts';
import { useAnswer } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import { useLetters } from '../../shell/shortcuts.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { IndexTable } from './index-table.tsx';
import { NewIndex } from './new-index.tsx';

const LIST = { query: { expand: ['status', 'counts'] as ('status' | 'counts')[] } };

const CALLS = [
  { what: 'List the indexes', ...requestOf('GET /api/v1/pipelines', LIST) },
  { what: 'Make an index', ...requestOf('POST /api/v1/pipelines', { body: { name: 'Manuals' } }) },
];

/** More than these are searched by name. */
const FEW = 8;

const isMoving = ({ status, ingestion }: Pipeline) =>
  status === 'DELETING' || ingestion?.status === 'IN_PROGRESS';

/** The indexes of the project. */
export function Indexes() {
  const [isMaking, setMaking] = useState(false);
  const read = useAnswer('GET /api/v1/pipelines', LIST, {
    refetchInterval: ({ state }) => (state.data?.some(isMoving) && !state.error ? 1000 : 10_000),
  });
  const make = () => setMaking(true);
  useLetters({ n: make });
  const newButton = (
    <Button look="primary" icon="plus" onClick={make}>
      New index
    </Button>
  );
  return (
    <Page title="Indexes" calls={CALLS} actions={read.data && read.data.length > 0 && newButton}>
      <Loaded read={read} what="The indexes could not be read">
        {(indexes) =>
          indexes.length > 0 ? (
            <Searched indexes={indexes} />
          ) : (
            <Empty icon="index" title="Make your first index" action={newButton}>
              An index takes in files, cuts them into chunks and answers questions about them. Give it a name
              and some files; everything else has a good default.
            </Empty>
          )
        }
      </Loaded>
      {isMaking && <NewIndex onClose={() => setMaking(false)} />}
    </Page>
  );
}

function Searched({ indexes }: { indexes: Pipeline[] }) {
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('q') ?? '';
  const find = (words: string) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (words) after.set('q', words);
        else after.delete('q');
        return after;
      },
      { replace: true },
    );
  const found = indexes.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <>
      {(indexes.length > FEW || wanted) && (
        <TextField
          label="Search by name"
          hideLabel
          placeholder="Search by name"
          type="search"
          value={wanted}
          onChange={({ target }) => find(target.value)}
        />
      )}
      {found.length > 0 ? (
        <IndexTable indexes={found} />
      ) : (
        <Empty
          icon="search"
          title="No index has such a name"
          action={<Button onClick={() => find('')}>Show all</Button>}
        />
      )}
    </>
  );
}
