import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useOptimisticApiMutation } from '../../api/optimistic.ts';
import type { Input } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { loadable } from '../../shell/loadable.tsx';
import { useProjectPath } from '../../shell/project-path.ts';
import { announce } from '../../ui/announce.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import type { RowPage } from '../../ui/use-paged-rows.ts';
import styles from './chunks.module.css';
import { toPlainText } from './text.ts';
import type { Chunk } from './use-chunks.ts';

const EditMetadata = loadable(() => import('./edit-metadata.tsx'));

const getReasons = (): Record<string, string> => ({
  text_document: t('The document was added as text, which has no pages.'),
  no_pages: t('This file format has no pages.'),
  not_parsed: t('The file has not been parsed with the settings of this index.'),
  parsed_anew: t(
    'The parse result has changed since the chunk was created. The next sync updates the chunk.',
  ),
});
/** Number of characters at the start of a chunk that become the query of a search in the playground. */
const QUESTION_CHARACTERS = 200;

/** Shows the metadata of the selected chunk, with actions such as searching for it. */
export function ChunkFacts({ indexId, chunk }: { indexId: string; chunk: Chunk }) {
  const pathTo = useProjectPath();
  const { id_, text, extra_info, without_citations, enabled, chunk_metadata } = chunk;
  const [isEditing, setEditing] = useState(false);
  const change = useSetEnabled(indexId, id_ ?? '');
  const question = toPlainText(text ?? '')
    .replace(/\s+/g, ' ')
    .slice(0, QUESTION_CHARACTERS);
  const why = without_citations ? getReasons()[without_citations] : undefined;
  return (
    <div className={styles.chosen}>
      <div className={styles.actions}>
        <ButtonLink small icon="search" to={pathTo(`/indexes/${indexId}/playground`, { q: question })}>
          {t('Search for this chunk')}
        </ButtonLink>
        <CopyButton text={text ?? ''} label={t('Copy text of this chunk')}>
          {t('Copy text')}
        </CopyButton>
        <CopyButton text={id_ ?? ''} label={t('Copy ID of this chunk')}>
          {t('Copy ID')}
        </CopyButton>
        <Button writes small icon={enabled ? 'stop' : 'check'} onClick={() => change(!enabled)}>
          {enabled ? t('Disable') : t('Enable')}
        </Button>
        <Button writes small icon="edit" onClick={() => setEditing(true)}>
          {t('Edit metadata')}
        </Button>
      </div>
      {!enabled && (
        <p className={styles.why}>
          {t(
            'This chunk is disabled: searches and chats do not find it. The setting stays as long as the text of the chunk stays the same.',
          )}
        </p>
      )}
      {why && <p className={styles.why}>{t('No position is highlighted. {why}', { why })}</p>}
      {extra_info && Object.keys(extra_info).length > 0 && (
        <details>
          <summary>{t('Metadata')}</summary>
          <dl className={styles.metadata}>
            {Object.entries(extra_info).map(([name, value]) => (
              <div key={name}>
                <dt dir="auto">{name}</dt>
                <dd>
                  {typeof value === 'string' ? value : JSON.stringify(value)}
                  {Object.hasOwn(chunk_metadata, name) && <Badge tone="info">{t('This chunk')}</Badge>}
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {isEditing && <EditMetadata indexId={indexId} chunk={chunk} onClose={() => setEditing(false)} />}
    </div>
  );
}

/** Enables or disables a chunk, which the page shows at once. */
function useSetEnabled(indexId: string, node: string) {
  const client = useQueryClient();
  const { mutate } = useOptimisticApiMutation(
    'PATCH /api/v1/pipelines/{pipeline_id}/nodes/{node_id}',
    [
      { queryKey: ['GET /api/v1/pipelines/{pipeline_id}/nodes/{node_id}'], change: setEnabled },
      { queryKey: ['GET /api/v1/pipelines/{pipeline_id}/files/{file_id}/chunks'], change: setEnabledInList },
    ],
    t('The chunk could not be changed'),
  );
  return (enabled: boolean) =>
    mutate(
      { params: { pipeline_id: indexId, node_id: node }, body: { enabled } },
      {
        onSuccess: async () => {
          announce(enabled ? t('The chunk is enabled') : t('The chunk is disabled'));
          await client.invalidateQueries({ queryKey: ['POST /api/v1/pipelines/{pipeline_id}/retrieve'] });
        },
      },
    );
}

type ChunkEdit = Input<'PATCH /api/v1/pipelines/{pipeline_id}/nodes/{node_id}'>;

const setEnabled = (chunk: Chunk, { params, body }: ChunkEdit): Chunk =>
  chunk.id_ === params.node_id ? { ...chunk, enabled: body.enabled ?? chunk.enabled } : chunk;

/** Lists of chunks are cached as pages of rows and as whole lists. */
function setEnabledInList(list: Chunk[] | RowPage<Chunk>, edit: ChunkEdit) {
  const change = (rows: Chunk[]) => rows.map((chunk) => setEnabled(chunk, edit));
  return Array.isArray(list) ? change(list) : { ...list, rows: change(list.rows) };
}
