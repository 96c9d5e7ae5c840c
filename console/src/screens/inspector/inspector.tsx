import { useCallback, useState } from 'react';
import { useParams, useSearchParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import { countShownPages } from '../../api/pages.ts';
import type { Pipeline } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { useShortcuts } from '../../shell/shortcuts.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { IndexPage } from '../index/index-page.tsx';
import { Chunks } from './chunks.tsx';
import styles from './inspector.module.css';
import { PagePane } from './page-pane.tsx';
import { type Chunk, useChunks } from './use-chunks.ts';

/** Shows a file of an index: the pages of the file beside the chunks created from them. */
export default function Inspector() {
  const { id = '', fid = '' } = useParams();
  const params = { pipeline_id: id, file_id: fid };
  const calls = [
    {
      what: t('List the chunks of the file'),
      ...buildRequest('GET /api/v1/pipelines/{pipeline_id}/files/{file_id}/chunks', { params }),
    },
    {
      what: t('List the pages of the file'),
      ...buildRequest('GET /api/v1/files/{id}/pages', { params: { id: fid } }),
    },
  ];
  return (
    <IndexPage part="/files" full calls={calls}>
      {(index) => <Inspected key={fid} index={index} fileId={fid} />}
    </IndexPage>
  );
}

function Inspected({ index, fileId }: { index: Pipeline; fileId: string }) {
  const pathTo = useProjectPath();
  const file = useApiQuery('GET /api/v1/files/{id}', { params: { id: fileId } });
  const pages = useApiQuery('GET /api/v1/files/{id}/pages', {
    params: { id: fileId },
    query: { limit: 1000 },
  });
  return (
    <Loaded read={file} what={t('The file could not be read')}>
      {({ name }) => (
        <>
          <div className={styles.head}>
            <h2 dir="auto">{name}</h2>
            {pages.data && (
              <Badge icon="file">
                {t('{count, plural, one {# page} other {# pages}}', { count: countShownPages(pages.data) })}
              </Badge>
            )}
            <PagesNeedingOcr pages={pages.data?.pages ?? []} />
            <span className={styles.end}>
              <ButtonLink small icon="open" to={pathTo(`/files/${fileId}`)}>
                {t('File in the project')}
              </ButtonLink>
            </span>
          </div>
          <Loaded read={pages} what={t('The pages could not be read')}>
            {(read) => (
              <InspectorPanes
                indexId={index.id}
                fileId={fileId}
                name={name}
                pageCount={countShownPages(read)}
              />
            )}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

/** Tells the user which pages contain content that can only be read with OCR. */
function PagesNeedingOcr({ pages }: { pages: { page_index: number; needs_ocr: boolean | null }[] }) {
  const unread = pages.filter(({ needs_ocr }) => needs_ocr).map(({ page_index }) => page_index + 1);
  if (unread.length === 0) return null;
  const named = unread.slice(0, 8).join(', ');
  return (
    <Badge tone="warn" icon="warning">
      {t('{count, plural, one {Page {pages} needs OCR} other {Pages {pages} need OCR}}', {
        count: unread.length,
        pages:
          unread.length > 8
            ? t('{pages} and {count} more', { pages: named, count: unread.length - 8 })
            : named,
      })}
    </Badge>
  );
}

interface SidesProps {
  indexId: string;
  fileId: string;
  name: string;
  pageCount: number;
}

function InspectorPanes({ indexId, fileId, name, pageCount }: SidesProps) {
  const [search, setSearch] = useSearchParams();
  const chunks = useChunks(indexId, fileId, search.get('find') ?? '');
  const nodeId = search.get('node') ?? undefined;
  const node = useApiQuery(
    'GET /api/v1/pipelines/{pipeline_id}/nodes/{node_id}',
    { params: { pipeline_id: indexId, node_id: nodeId ?? '' } },
    { enabled: nodeId !== undefined },
  );
  // The chunk from the list is shown until the selected one has loaded with its citations. It is read from the list
  // each time, because the list also contains changes that were made before the selected one has loaded.
  const [picked, setPicked] = useState<Chunk>();
  const listed = picked && chunks.chunkAt(chunks.getPosition(picked));
  const chosen = [node.data, listed, picked].find((each) => each && each.id_ === nodeId);
  const given = Number(search.get('page')) || (chosen?.page_indexes[0] ?? 0) + 1;
  const page = Math.min(Math.max(1, given), Math.max(1, pageCount)) - 1;

  const change = useCallback(
    (changes: Record<string, string | undefined>) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [key, value] of Object.entries(changes)) {
            if (value) next.set(key, value);
            else next.delete(key);
          }
          return next;
        },
        { replace: true },
      ),
    [setSearch],
  );
  const toPage = (index: number) => {
    if (index >= 0 && index < pageCount) change({ page: String(index + 1) });
  };
  const choose = (chunk: Chunk) => {
    const { id_, page_indexes: on } = chunk;
    setPicked(chunk);
    const isHere = on.length === 0 || on.includes(page);
    change({ node: id_ ?? undefined, page: String((isHere ? page : on[0]!) + 1) });
  };
  const step = (by: number) => {
    const from = chosen ? chunks.getPosition(chosen) : by > 0 ? -1 : chunks.total;
    const next = chunks.chunkAt(Math.min(Math.max(0, from + by), chunks.total - 1));
    if (next) choose(next);
  };
  useShortcuts({
    ...{ j: () => step(1), k: () => step(-1) },
    ...{ '[': () => toPage(page - 1), ']': () => toPage(page + 1) },
  });
  return (
    <div className={pageCount > 0 ? styles.sides : undefined}>
      {pageCount > 0 ? (
        <PagePane
          {...{ indexId, fileId, name, pageCount, page, toPage }}
          chosen={chosen}
          onChoose={(key) => change({ node: key })}
        />
      ) : (
        <Empty icon="file" title={t('This file has no pages')}>
          {t(
            'Data files such as CSV and JSON are split into chunks without a page layout. The chunks are listed below.',
          )}
        </Empty>
      )}
      <Chunks
        {...{ indexId, chunks, chosen }}
        error={nodeId ? node.error : null}
        onChoose={choose}
        onFind={(find) => change({ find })}
        find={search.get('find') ?? ''}
      />
    </div>
  );
}
