import { useState } from 'react';
import { requestOf } from '../../api/client.ts';
import { useAction, useAnswer } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import { useAt } from '../../shell/link.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { AddSource } from './add-source.tsx';
import { IndexPage } from './index-page.tsx';
import { type Source, SourceTable } from './source-table.tsx';
import { CHANGED_BY_RUNS } from './use-sync.ts';

const LIST = 'GET /api/v1/pipelines/{pipeline_id}/data-sources';

const callsOf = (id: string) => {
  const params = { pipeline_id: id };
  return [
    { what: 'List the sources', ...requestOf(LIST, { params }) },
    {
      what: 'Add a source, read every day',
      ...requestOf('PUT /api/v1/pipelines/{pipeline_id}/data-sources', {
        params,
        body: [{ data_source_id: 'the id of the source', sync_interval: 86_400 }],
      }),
    },
  ];
};

/** The content systems that an index reads, when it last did and when it will. */
export default function SourcesScreen() {
  const [isAdding, setAdding] = useState(false);
  return (
    <IndexPage
      part="/sources"
      calls={callsOf}
      actions={
        <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
          Add a source
        </Button>
      }
    >
      {(index) => <Sources index={index} isAdding={isAdding} onAdd={setAdding} />}
    </IndexPage>
  );
}

function Sources({
  index,
  isAdding,
  onAdd,
}: {
  index: Pipeline;
  isAdding: boolean;
  onAdd: (isAdding: boolean) => void;
}) {
  const at = useAt();
  const params = { pipeline_id: index.id };
  const [leaving, setLeaving] = useState<Source>();
  const read = useAnswer(
    LIST,
    { params },
    {
      refetchInterval: ({ state }) =>
        state.data?.some(({ status }) => status === 'IN_PROGRESS') && !state.error ? 1000 : 10_000,
    },
  );
  const known = useAnswer('GET /api/v1/data-sources', {});
  const remove = useAction(
    'DELETE /api/v1/pipelines/{pipeline_id}/data-sources/{data_source_id}',
    CHANGED_BY_RUNS,
  );
  return (
    <>
      <Loaded read={read} what="The sources could not be read" rows={2}>
        {(sources) =>
          sources.length > 0 ? (
            <SourceTable sources={sources} onRemove={setLeaving} />
          ) : (
            <Empty
              icon="connection"
              title="It reads no source"
              action={
                known.data?.length === 0 ? (
                  <ButtonLink icon="connection" to={at('/connections')}>
                    Set up a source
                  </ButtonLink>
                ) : (
                  <Button icon="plus" onClick={() => onAdd(true)}>
                    Add a source
                  </Button>
                )
              }
            >
              A source is a bucket, a drive or a wiki. The index takes in its files and keeps up with what
              changes there.
            </Empty>
          )
        }
      </Loaded>
      {isAdding && (
        <AddSource
          indexId={index.id}
          held={read.data?.map(({ data_source_id }) => data_source_id) ?? []}
          onClose={() => onAdd(false)}
        />
      )}
      {leaving && (
        <Confirm
          title={`Take ${leaving.name} out of this index?`}
          action="Take out"
          onConfirm={() =>
            remove.mutateAsync({ params: { ...params, data_source_id: leaving.data_source_id } })
          }
          onClose={() => setLeaving(undefined)}
        >
          The files that it brought leave the index and are not found any more. They stay in the project, and
          the source stays under Connections.
        </Confirm>
      )}
    </>
  );
}
