import { useRef, useState } from 'react';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { ButtonLink, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { buildMarks, emphasizeSentences, PagePicture } from '../../ui/page-picture.tsx';
import { Loaded } from '../../ui/states.tsx';
import styles from './citation-panel.module.css';
import { Markdown } from './markdown.tsx';
import type { QuotedSentences, Source } from './messages.ts';
import { Panel } from './panel.tsx';
import { useScrollToMark } from './use-scroll-to-mark.ts';

/** Panel with a cited passage and the pages on which it is printed. */
export default function CitationPanel({
  pipelineId,
  nodeId,
  source,
  quoted,
  onClose,
}: {
  pipelineId: string;
  nodeId: string;
  /**
   * Cited source in the loaded messages. `undefined` if the page's address names a passage that no message
   * cites.
   */
  source: Source | undefined;
  /** Sentences that are highlighted more strongly than the rest of the passage. */
  quoted: QuotedSentences;
  onClose: () => void;
}) {
  const read = useApiQuery('GET /api/v1/pipelines/{pipeline_id}/nodes/{node_id}', {
    params: { pipeline_id: pipelineId, node_id: nodeId },
  });
  const knownTitle = source?.title ?? read.data?.extra_info?.file_name;
  const title = typeof knownTitle === 'string' && knownTitle ? knownTitle : t('Passage');
  return (
    <Panel title={title} onClose={onClose}>
      <Loaded read={read} what={t('The passage could not be read')}>
        {(node) => <Passage key={nodeId} {...{ node, pipelineId, title, quoted }} />}
      </Loaded>
      {read.error && source?.text && <PassageText source={source} quoted={quoted} isScrolled />}
    </Panel>
  );
}

type Node = NonNullable<
  ReturnType<typeof useApiQuery<'GET /api/v1/pipelines/{pipeline_id}/nodes/{node_id}'>>['data']
>;

function Passage({
  node,
  pipelineId,
  title,
  quoted,
}: {
  node: Node;
  pipelineId: string;
  title: string;
  quoted: QuotedSentences;
}) {
  const pathTo = useProjectPath();
  const { file_id, id_: id, citations } = node;
  const text = node.text ?? '';
  const pages = citations?.length ? citations.map(({ page }) => page - 1) : node.page_indexes;
  const [turned, setTurned] = useState(Math.max(0, pages.indexOf(quoted.boxes[0]?.page_index ?? -1)));
  const page = pages[turned];
  const hasPicture = file_id != null && page !== undefined;
  const passageSource: Source = {
    citation: 1,
    score: null,
    text,
    title,
    node_id: id ?? '',
    pipeline_id: pipelineId,
    document_id: node.document_id,
    file_id,
    start_page_index: pages[0] ?? null,
    end_page_index: pages.at(-1) ?? null,
  };
  return (
    <>
      {hasPicture && (
        <>
          <div className={styles.pages}>
            <IconButton
              icon="left"
              label={t('Previous page')}
              small
              disabled={turned === 0}
              onClick={() => setTurned(turned - 1)}
            />
            <span aria-live="polite">
              {t('Page {page}', { page: page + 1 })}
              {pages.length > 1 && (
                <small>
                  {' '}
                  {t('· {number} of the passage’s {total}', { number: turned + 1, total: pages.length })}
                </small>
              )}
            </span>
            <IconButton
              icon="right"
              label={t('Next page')}
              small
              disabled={turned === pages.length - 1}
              onClick={() => setTurned(turned + 1)}
            />
          </div>
          <PagePicture
            fileId={file_id}
            pageIndex={page}
            alt={t('Page {page} of {name}', { page: page + 1, name: title })}
            hasTextTwin
            marks={emphasizeSentences(
              buildMarks(passageSource.node_id, citations ?? [], page),
              quoted.boxes.filter(({ page_index }) => page_index === page),
            )}
          />
        </>
      )}
      <PassageText source={passageSource} quoted={quoted} isScrolled={!hasPicture} />
      {file_id && (
        <div>
          <ButtonLink
            icon="open"
            small
            to={pathTo(`/indexes/${pipelineId}/files/${file_id}`, {
              ...(page !== undefined && { page: String(page + 1) }),
              node: passageSource.node_id,
            })}
          >
            {t('Open in the file')}
          </ButtonLink>
        </div>
      )}
    </>
  );
}

/** Text of a passage, in which the quoted sentences are marked. */
function PassageText({
  source,
  quoted: { ranges },
  isScrolled,
}: {
  source: Source;
  quoted: QuotedSentences;
  /** True if the first quoted sentence is scrolled into view. */
  isScrolled: boolean;
}) {
  const section = useRef<HTMLElement>(null);
  const isMarked = ranges.length > 0;
  useScrollToMark(section, isScrolled && isMarked);
  return (
    <section
      ref={section}
      className={classes(styles.text, isMarked && styles.marked)}
      aria-label={t('Text of the passage')}
    >
      <h3>{t('The passage')}</h3>
      <Markdown text={source.text} sources={[source]} marked={ranges} />
    </section>
  );
}
