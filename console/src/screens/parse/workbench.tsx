import { useState } from 'react';
import { t } from '../../i18n/messages.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { Card } from '../../ui/page.tsx';
import { type Mark, PagePicture } from '../../ui/page-picture.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import styles from '../jobs/jobs.module.css';
import { Blocks } from './blocks.tsx';
import view from './parse.module.css';
import { LazyRendered } from './rendered-lazily.tsx';
import { type ParsedPage, useParsedPage } from './use-result.ts';

export const getForms = () =>
  [
    { key: 'preview', label: t('Preview') },
    { key: 'both', label: t('Preview and source') },
    { key: 'markdown', label: t('Markdown') },
    { key: 'text', label: t('Text') },
  ] as const;
export type Form = ReturnType<typeof getForms>[number]['key'];

export const parseForm = (text: string | null): Form =>
  getForms().find(({ key }) => key === text)?.key ?? 'preview';

interface WorkbenchProps {
  job: string;
  page: number;
  name: string;
  fileId: string | undefined;
  form: Form;
  onForm: (form: Form) => void;
}

/** Picture of a page with its blocks, beside what was read from the page. */
export function Workbench({ job, page, name, fileId, form, onForm }: WorkbenchProps) {
  const read = useParsedPage(job, page);
  // The position belongs to a page, so that another page begins without a highlighted block.
  const [active, setActive] = useState<{ page: number; at: number | undefined }>();
  const at = active?.page === page ? active.at : undefined;
  const activate = (to: number | undefined) => setActive({ page, at: to });
  const marks = buildBlockMarks(read.data, at);
  return (
    <div className={styles.split}>
      {fileId && (
        <PagePicture
          fileId={fileId}
          pageIndex={page - 1}
          alt={t('Page {page} of {name}', { page, name })}
          marks={marks}
          size={read.data}
          outlined
          parseJobId={job}
          hasTextTwin
          onChoose={(key) => activate(Number(key))}
          onPoint={(key) => activate(key === undefined ? undefined : Number(key))}
        />
      )}
      <Card>
        <Tabs label={t('Format')} tabs={getForms()} chosen={form} onChoose={onForm}>
          <Loaded read={read} what={t('The page could not be read')}>
            {(shown) => <PageForm {...{ shown, form, fileId }} active={at} onActivate={activate} />}
          </Loaded>
        </Tabs>
      </Card>
    </div>
  );
}

interface PageFormProps {
  shown: ParsedPage;
  form: Form;
  fileId: string | undefined;
  active: number | undefined;
  onActivate: (at: number | undefined) => void;
}

function PageForm({ shown, form, fileId, active, onActivate }: PageFormProps) {
  const { markdown, text, items, error, page_number: page } = shown;
  const source = (form === 'text' ? text : markdown) ?? '';
  const rendered = items?.length ? (
    <Blocks {...{ items, fileId, active, onActivate }} />
  ) : markdown ? (
    <LazyRendered text={markdown} fileId={fileId} />
  ) : (
    <Empty icon="file" title={t('This page has no text')} />
  );
  const written = (
    <div className={view.page}>
      <span className={view.copy}>
        <CopyButton text={source} label={t('Copy page {page}', { page })} />
      </span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre className={view.text} tabIndex={0}>
        {source || t('This page has no text.')}
      </pre>
    </div>
  );
  return (
    <>
      {error && <Failure error={new Error(error)} what={t('The page could not be read completely')} />}
      {form === 'preview' ? (
        rendered
      ) : form === 'both' ? (
        <div className={view.two}>
          {rendered}
          {written}
        </div>
      ) : (
        written
      )}
    </>
  );
}

/** Returns the blocks of a page as marks on its picture. The key of a mark is the position of its block. */
function buildBlockMarks(page: ParsedPage | undefined, active: number | undefined): Mark[] {
  return (page?.items ?? []).flatMap(({ box, value }, at) =>
    box && page ? [{ key: String(at), text: value, boxes: [box], page, chosen: at === active }] : [],
  );
}
