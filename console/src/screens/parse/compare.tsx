import type { ReactNode } from 'react';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { loadable } from '../../shell/loadable.tsx';
import { Card } from '../../ui/page.tsx';
import { Empty, Loaded, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { describeParameters } from './parameters.ts';
import view from './parse.module.css';
import { LazyRendered } from './rendered-lazily.tsx';
import { useParsedPage } from './use-result.ts';

export const getComparisons = () =>
  [
    { key: 'difference', label: t('Differences') },
    { key: 'preview', label: t('Previews') },
    { key: 'markdown', label: t('Markdown') },
  ] as const;
export type Comparison = ReturnType<typeof getComparisons>[number]['key'];

export const parseComparison = (text: string | null): Comparison =>
  getComparisons().find(({ key }) => key === text)?.key ?? 'difference';

const Difference = loadable(() => import('./difference.tsx'));

interface CompareProps {
  /** Ids of the two jobs. The first one is the earlier setting. */
  jobs: readonly [string, string];
  page: number;
  fileId: string | undefined;
  form: Comparison;
  onForm: (form: Comparison) => void;
}

/** Compares how two jobs read the same page. Both sides always show the page with the same number. */
export function Compare({ jobs, page, fileId, form, onForm }: CompareProps) {
  const before = useParsedPage(jobs[0], page);
  const after = useParsedPage(jobs[1], page);
  const sides = [
    { name: 'A', job: jobs[0], read: before },
    { name: 'B', job: jobs[1], read: after },
  ];
  return (
    <Card>
      <div className={view.two}>
        {sides.map(({ name, job }) => (
          <Settings key={name} name={name} job={job} />
        ))}
      </div>
      <Tabs label={t('Comparison')} tabs={getComparisons()} chosen={form} onChoose={onForm}>
        {form !== 'difference' ? (
          <div className={view.two}>
            {sides.map(({ name, read }) => (
              <section key={name} aria-label={t('{name}, page {page}', { name, page })}>
                <Loaded read={read} what={t('The page could not be read')}>
                  {({ markdown }) => <Side text={markdown ?? ''} {...{ form, fileId }} />}
                </Loaded>
              </section>
            ))}
          </div>
        ) : before.data && after.data ? (
          <Difference before={before.data.markdown ?? ''} after={after.data.markdown ?? ''} />
        ) : before.error || after.error ? (
          <Loaded read={before.error ? before : after} what={t('The page could not be read')}>
            {(): ReactNode => null}
          </Loaded>
        ) : (
          <Skeleton />
        )}
      </Tabs>
    </Card>
  );
}

interface SideProps {
  text: string;
  form: Comparison;
  fileId: string | undefined;
}

function Side({ text, form, fileId }: SideProps) {
  if (text === '') return <Empty icon="file" title={t('This page has no text')} />;
  if (form === 'preview') return <LazyRendered text={text} fileId={fileId} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <pre className={view.text} tabIndex={0}>
      {text}
    </pre>
  );
}

/** Names the parameters of a job. */
function Settings({ name, job }: { name: string; job: string }) {
  const read = useApiQuery('GET /api/v2/parse/{job_id}', { params: { job_id: job } });
  const settings = read.data && describeParameters(read.data.configuration);
  return (
    <p>
      <strong>{name}</strong> {settings && (settings.join(', ') || t('Default parameters'))}
    </p>
  );
}
