import { useSearchParams } from 'wouter';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { moment } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Compare, parseComparison } from './compare.tsx';
import { Pager } from './pager.tsx';
import { describeParameters, removeUnset } from './parameters.ts';
import view from './parse.module.css';
import { useOtherJobs } from './use-other-jobs.ts';
import { listNumbers, useResult } from './use-result.ts';
import { parseForm, Workbench } from './workbench.tsx';

type Job = Answer<'GET /api/v2/parse/{job_id}'>;

interface ResultProps {
  job: Job;
  name: string;
  fileId: string | undefined;
}

/** Pages of a completed job, one at a time, or compared with the pages of another job. */
export function Result({ job, name, fileId }: ResultProps) {
  const [search, setSearch] = useSearchParams();
  const compared = search.get('with') || undefined;
  const result = useResult(job.id);
  const other = useResult(compared);
  const set = (changes: Record<string, string | undefined>) =>
    setSearch(
      (known) => {
        const next = new URLSearchParams(known);
        for (const [key, value] of Object.entries(changes)) {
          if (value) next.set(key, value);
          else next.delete(key);
        }
        return next;
      },
      { replace: true },
    );
  const asked = Number(search.get('page'));
  const toPage = (page: number) => set({ page: String(page) });
  const form = search.get('form');
  return (
    <>
      <Choices job={job} compared={compared} onCompare={(id) => set({ with: id, form: undefined })} />
      <Loaded read={result} what={t('The pages could not be read')}>
        {(own) =>
          compared ? (
            <Loaded read={other} what={t('The other job could not be read')}>
              {(their) => {
                const theirs = new Set(listNumbers(their.ranges));
                const shared = listNumbers(own.ranges).filter((number) => theirs.has(number));
                if (own.content_hash !== their.content_hash) return <OtherDocument />;
                return (
                  <Paged numbers={shared} asked={asked} onGo={toPage}>
                    {(page) => (
                      <Compare
                        jobs={[compared, job.id]}
                        {...{ page, fileId }}
                        form={parseComparison(form)}
                        onForm={(key) => set({ form: key })}
                      />
                    )}
                  </Paged>
                );
              }}
            </Loaded>
          ) : (
            <Paged numbers={listNumbers(own.ranges)} asked={asked} onGo={toPage}>
              {(page) => (
                <Workbench
                  job={job.id}
                  {...{ page, name, fileId }}
                  form={parseForm(form)}
                  onForm={(key) => set({ form: key })}
                />
              )}
            </Paged>
          )
        }
      </Loaded>
    </>
  );
}

const OtherDocument = () => (
  <Notice tone="warn" icon="warning" title={t('The jobs read different documents')}>
    {t('Only parses of the same content can be compared.')}
  </Notice>
);

interface PagedProps {
  numbers: number[];
  /** Page number of the address. The first page is shown if it is not in the list. */
  asked: number;
  onGo: (page: number) => void;
  children: (page: number) => React.ReactNode;
}

function Paged({ numbers, asked, onGo, children }: PagedProps) {
  const at = Math.max(0, numbers.indexOf(asked));
  const page = numbers[at];
  if (page === undefined) {
    return (
      <Empty icon="file" title={t('No pages')}>
        {t('The document has no pages, or none of the requested pages.')}
      </Empty>
    );
  }
  return (
    <>
      <Pager numbers={numbers} at={at} onGo={onGo} />
      {children(page)}
    </>
  );
}

interface ChoicesProps {
  job: Job;
  compared: string | undefined;
  onCompare: (job: string | undefined) => void;
}

/** Starts another parse of the document, or chooses an earlier one to compare with. */
function Choices({ job, compared, onCompare }: ChoicesProps) {
  const pathTo = useProjectPath();
  const others = useOtherJobs(job);
  const parameters = removeUnset(job.configuration);
  const again = {
    file: job.file_id?.replace(/^dfl-/, ''),
    parameters: Object.keys(parameters).length > 0 ? JSON.stringify(parameters) : undefined,
    with: job.id,
  };
  const isListed = !compared || others.some(({ id }) => id === compared);
  return (
    <div className={view.choices}>
      {(others.length > 0 || compared) && (
        <Select
          label={t('Compare with')}
          value={compared ?? ''}
          choices={[
            { value: '', label: t('Nothing') },
            ...(isListed ? [] : [{ value: compared!, label: t('Another parse') }]),
            ...others.map(({ id, created_at, configuration }) => ({
              value: id,
              label: `${moment(created_at)}: ${describeParameters(configuration).join(', ') || t('default parameters')}`,
            })),
          ]}
          onChange={({ target }) => onCompare(target.value || undefined)}
        />
      )}
      {again.file && (
        <ButtonLink icon="compare" to={pathTo('/parse', again)}>
          {t('Try other parameters')}
        </ButtonLink>
      )}
    </div>
  );
}
