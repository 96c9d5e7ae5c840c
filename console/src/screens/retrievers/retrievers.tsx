import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { requestOf } from '../../api/client.ts';
import { useAnswer } from '../../api/hooks.ts';
import { useAt } from '../../shell/link.ts';
import { Button } from '../../ui/button.tsx';
import { ago } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { type Retriever, RetrieverForm } from './retriever-form.tsx';

const CALLS = [{ what: 'List the retrievers', ...requestOf('GET /api/v1/retrievers', {}) }];

/** The retrievers of the project: several indexes that are asked as one. */
export default function Retrievers() {
  const at = useAt();
  const [, go] = useLocation();
  const [isMaking, setMaking] = useState(false);
  const read = useAnswer('GET /api/v1/retrievers', {});
  const columns: Column<Retriever>[] = [
    {
      key: 'name',
      header: 'Name',
      cell: ({ id, name }) => <Link to={at(`/retrievers/${id}`)}>{name}</Link>,
    },
    { key: 'indexes', header: 'Indexes', number: true, cell: ({ pipelines }) => pipelines.length },
    { key: 'changed', header: 'Changed', cell: ({ updated_at }) => ago(updated_at) },
  ];
  const make = (
    <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
      New retriever
    </Button>
  );
  return (
    <Page
      title="Retrievers"
      lead="A retriever asks several indexes as one, and ranks together what they find."
      calls={CALLS}
      actions={read.data?.length ? make : undefined}
    >
      <Loaded read={read} what="The retrievers could not be read">
        {(retrievers) =>
          retrievers.length > 0 ? (
            <Table label="Retrievers" columns={columns} rows={retrievers} keyOf={({ id }) => id} />
          ) : (
            <Empty icon="retriever" title="Make your first retriever" action={make}>
              Choose the indexes that it asks; one question then searches all of them.
            </Empty>
          )
        }
      </Loaded>
      {isMaking && (
        <RetrieverForm onDone={({ id }) => go(at(`/retrievers/${id}`))} onClose={() => setMaking(false)} />
      )}
    </Page>
  );
}
