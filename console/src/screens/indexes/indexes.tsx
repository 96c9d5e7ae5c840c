import { Link } from 'wouter';
import { requestOf } from '../../api/client.ts';
import { useAnswer } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import { useAt } from '../../shell/link.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { ago } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';

const CALLS = [{ what: 'List the indexes', ...requestOf('GET /api/v1/pipelines', {}) }];

/** The indexes of the project. */
export function Indexes() {
  const at = useAt();
  const read = useAnswer('GET /api/v1/pipelines', {});
  const columns: Column<Pipeline>[] = [
    {
      key: 'name',
      header: 'Name',
      cell: ({ id, name }) => <Link to={at(`/indexes/${id}`)}>{name}</Link>,
    },
    { key: 'status', header: 'State', cell: ({ status }) => <StatusBadge status={status} /> },
    { key: 'updated', header: 'Changed', cell: ({ updated_at }) => ago(updated_at) },
  ];
  return (
    <Page title="Indexes" calls={CALLS}>
      <Loaded read={read} what="The indexes could not be read">
        {(pipelines) =>
          pipelines.length > 0 ? (
            <Table label="Indexes" columns={columns} rows={pipelines} keyOf={({ id }) => id} />
          ) : (
            <Empty icon="index" title="Make your first index">
              An index takes in files, cuts them into chunks and answers questions about them.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  );
}
