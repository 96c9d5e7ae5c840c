import { useState } from 'react';
import { buildRequest } from '../../api/client.ts';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { AddSource } from './add-source.tsx';
import { IndexPage } from './index-page.tsx';
import { type Source, SourceTable } from './source-table.tsx';
import { CHANGED_BY_RUNS } from './use-sync.ts';

const LIST = 'GET /api/v1/pipelines/{pipeline_id}/data-sources';

const buildCalls = (id: string) => {
  const params = { pipeline_id: id };
  return [
    { what: t('List the sources'), ...buildRequest(LIST, { params }) },
    {
      what: t('Add a source that is synced daily'),
      ...buildRequest('PUT /api/v1/pipelines/{pipeline_id}/data-sources', {
        params,
        body: [{ data_source_id: 'the id of the source', sync_interval: 86_400 }],
      }),
    },
  ];
};

/** Data sources of an index, with the times of their last and next sync. */
export default function SourcesScreen() {
  const [isAdding, setAdding] = useState(false);
  return (
    <IndexPage
      part="/sources"
      calls={buildCalls}
      actions={
        <Button look="primary" writes icon="plus" onClick={() => setAdding(true)}>
          {t('Add a source')}
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
  const pathTo = useProjectPath();
  const params = { pipeline_id: index.id };
  const [removed, setRemoved] = useState<Source>();
  const read = useApiQuery(
    LIST,
    { params },
    {
      refetchInterval: ({ state }) =>
        state.data?.some(({ status }) => status === 'IN_PROGRESS') && !state.error ? 1000 : 10_000,
    },
  );
  const known = useApiQuery('GET /api/v1/data-sources', {});
  const remove = useApiMutation(
    'DELETE /api/v1/pipelines/{pipeline_id}/data-sources/{data_source_id}',
    CHANGED_BY_RUNS,
  );
  return (
    <>
      <Loaded read={read} what={t('The sources could not be read')} rows={2}>
        {(sources) =>
          sources.length > 0 ? (
            <SourceTable sources={sources} onRemove={setRemoved} />
          ) : (
            <Empty
              icon="connection"
              title={t('No sources yet')}
              action={
                known.data?.length === 0 ? (
                  <ButtonLink icon="connection" to={pathTo('/connections')}>
                    {t('Set up a source')}
                  </ButtonLink>
                ) : (
                  <Button writes icon="plus" onClick={() => onAdd(true)}>
                    {t('Add a source')}
                  </Button>
                )
              }
            >
              {t(
                'A source is a bucket, a drive or a wiki. The index reads its files and follows their changes.',
              )}
            </Empty>
          )
        }
      </Loaded>
      {isAdding && (
        <AddSource
          indexId={index.id}
          connectedIds={read.data?.map(({ data_source_id }) => data_source_id) ?? []}
          onClose={() => onAdd(false)}
        />
      )}
      {removed && (
        <Confirm
          title={t('Remove {name} from this index?', { name: removed.name })}
          action={t('Remove')}
          onConfirm={() =>
            remove.mutateAsync({ params: { ...params, data_source_id: removed.data_source_id } })
          }
          onClose={() => setRemoved(undefined)}
        >
          {t(
            'Its files are removed from the index and can no longer be found. The files stay in the project, and the source stays under Connections.',
          )}
        </Confirm>
      )}
    </>
  );
}
