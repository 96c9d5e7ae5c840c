import { useCallback, useState } from 'react';
import { useParams, useSearchParams } from 'wouter';
import { requestOf } from '../../api/client.ts';
import { useAnswer } from '../../api/hooks.ts';
import { shownPages } from '../../api/pages.ts';
import type { Pipeline } from '../../api/types.ts';
import { useAt } from '../../shell/link.ts';
import { useLetters } from '../../shell/shortcuts.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { plural } from '../../ui/format.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { IndexPage } from '../index/index-page.tsx';
import { Chunks } from './chunks.tsx';
import styles from './inspector.module.css';
import { PagePane } from './page-pane.tsx';
import { type Chunk, useChunks } from './use-chunks.ts';

/** A file in an index: its pages beside the chunks that were made of them. */
export default function Inspector() {
  const { id = '', fid = '' } = useParams();
  const params = { pipeline_id: id, file_id: fid };
  const calls = [
    {
      what: 'Read the chunks of the file',
      ...requestOf('GET /api/v1/pipelines/{pipeline_id}/files/{file_id}/chunks', { params }),
    },
    {
      what: 'Read its pages',
      ...requestOf('GET /api/v1/files/{id}/pages', { params: { id: fid } }),
    },
  ];
  return (
    <IndexPage part="/files" full calls={calls}>
      {(index) => <Inspected key={fid} index={index} fileId={fid} />}
    </IndexPage>
  );
}

function Inspected({ index, fileId }: { index: Pipeline; fileId: string }) {
  const at = useAt();
  const file = useAnswer('GET /api/v1/files/{id}', { params: { id: fileId } });
  const pages = useAnswer('GET /api/v1/files/{id}/pages', { params: { id: fileId }, query: { limit: 1000 } });
  return (
    <Loaded read={file} what="The file could not be read">
      {({ name }) => (
        <>
          <div className={styles.head}>
            <h2>{name}</h2>
            {pages.data && <Badge icon="file">{plural(shownPages(pages.data), 'page')}</Badge>}
            <Unread pages={pages.data?.pages ?? []} />
            <span className={styles.end}>
              <ButtonLink small icon="open" to={at(`/files/${fileId}`)}>
                File in the project
              </ButtonLink>
            </span>
          </div>
          <Loaded read={pages} what="The pages could not be read">
            {(read) => <Sides indexId={index.id} fileId={fileId} name={name} pageCount={shownPages(read)} />}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

/** Names the pages that show something which nobody has read. */
function Unread({ pages }: { pages: { page_index: number; needs_ocr: boolean | null }[] }) {
  const unread = pages.filter(({ needs_ocr }) => needs_ocr).map(({ page_index }) => page_index + 1);
  if (unread.length === 0) return null;
  const named = unread.slice(0, 8).join(', ');
  return (
    <Badge tone="warn" icon="warning">
      {unread.length === 1 ? 'Page' : 'Pages'} {named}
      {unread.length > 8 && ` and ${unread.length - 8} more`} {unread.length === 1 ? 'needs' : 'need'} OCR
    </Badge>
  );
}

interface SidesProps {
  indexId: string;
  fileId: string;
  name: string;
  pageCount: number;
}

function Sides({ indexId, fileId, name, pageCount }: SidesProps) {
  const [search, setSearch] = useSearchParams();
  const chunks = useChunks(indexId, fileId, search.get('find') ?? '');
  const nodeId = search.get('node') ?? undefined;
  const node = useAnswer(
    'GET /api/v1/pipelines/{pipeline_id}/nodes/{node_id}',
    { params: { pipeline_id: indexId, node_id: nodeId ?? '' } },
    { enabled: nodeId !== undefined },
  );
  // The one from the list stands for it until it has been read with its places.
  const [picked, setPicked] = useState<Chunk>();
  const chosen = [node.data, picked].find((each) => each && each.id_ === nodeId);
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
    const from = chosen ? chunks.positionOf(chosen) : by > 0 ? -1 : chunks.total;
    const next = chunks.chunkAt(Math.min(Math.max(0, from + by), chunks.total - 1));
    if (next) choose(next);
  };
  useLetters({
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
        <Empty icon="file" title="This file has no pages">
          Data such as CSV or JSON is cut into chunks without being laid out. The chunks are below.
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
