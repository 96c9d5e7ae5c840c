import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Body } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { moment } from '../../ui/format.ts';
import { Card, Page } from '../../ui/page.tsx';
import { Failure } from '../../ui/states.tsx';
import { EMPTY_RULE, type Rule, RulesEditor } from '../classify/rules-editor.tsx';
import { Configurations } from '../extract/configurations.tsx';
import type { Options } from '../extract/options.ts';
import { EMPTY, type Schema } from '../extract/schema.ts';
import { SchemaEditor } from '../extract/schema-editor.tsx';
import jobs from '../jobs/jobs.module.css';
import { ChooseFiles } from './choose-files.tsx';
import { useFileChoice } from './use-file-choice.ts';

type JobType = 'extract' | 'classify' | 'parse';
type NewBatch = Body<'POST /api/v2/batches'>;

const DEFAULT_OPTIONS: Options = { cite_sources: true, confidence_scores: true };
const PRODUCTS = { extract: 'extract_v2', classify: 'classify_v2', parse: 'parse_v2' } as const;

/** Form for a batch: the files, the kind of jobs and their configuration. */
export default function NewBatchPage() {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const [jobType, setJobType] = useState<JobType>('extract');
  const [name, setName] = useState('');
  const [indexId, setIndexId] = useState('');
  const files = useFileChoice();
  const [savedId, setSavedId] = useState('');
  const [schema, setSchema] = useState<Schema>(EMPTY);
  const [options, setOptions] = useState<Options>(DEFAULT_OPTIONS);
  const [rules, setRules] = useState<Rule[]>([EMPTY_RULE]);
  const [refusal, setRefusal] = useState<unknown>();
  const [isReading, setReading] = useState(false);
  const run = useApiMutation('POST /api/v2/batches', ['GET /api/v2/batches']);
  const buildConfiguration = () => {
    if (savedId) return { configuration_id: savedId };
    if (jobType === 'parse') return { configuration: {} };
    return { configuration: jobType === 'extract' ? { ...options, data_schema: schema } : { rules } };
  };
  /** Returns the selected files as the request needs them. Returns `undefined` and says why if there are none. */
  const readFiles = async () => {
    setRefusal(undefined);
    if (indexId) return { pipeline_id: indexId };
    // The form shows this problem already.
    if (files.problem) return undefined;
    setReading(true);
    try {
      const ids = await files.readIds();
      if (ids.length > 0) return { file_ids: ids };
      setRefusal(new Error(t('Select files or an index first.')));
    } catch (error) {
      setRefusal(error);
    } finally {
      setReading(false);
    }
    return undefined;
  };
  const begin = async () => {
    const chosen = await readFiles();
    if (!chosen) return;
    const body = { job_type: jobType, ...chosen, ...(name.trim() && { name }), ...buildConfiguration() };
    const made = await run.mutateAsync({ body: body as NewBatch });
    navigate(pathTo(`/batches/${made.id}`));
  };
  return (
    <Page title={t('New batch')} breadcrumbs={[{ to: pathTo('/batches'), label: t('Batches') }]}>
      <Card title={t('Files')}>
        <ChooseFiles files={files} indexId={indexId} onIndex={setIndexId} />
        {refusal !== undefined && <Failure error={refusal} what={t('The files could not be selected')} />}
      </Card>
      <Card title={t('Jobs')}>
        <div className={jobs.options}>
          <Select
            label={t('What to do')}
            value={jobType}
            choices={[
              { value: 'extract', label: t('Extract values') },
              { value: 'classify', label: t('Classify') },
              { value: 'parse', label: t('Parse') },
            ]}
            onChange={({ target }) => {
              setJobType(target.value as JobType);
              setSavedId('');
            }}
          />
          <TextField
            label={t('Name')}
            optional
            placeholder={t('Invoices of March')}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          {jobType !== 'extract' && (
            <SavedConfiguration jobType={jobType} value={savedId} onChoose={setSavedId} />
          )}
        </div>
        {jobType === 'extract' && (
          <Configurations
            configuration={{ ...options, data_schema: schema }}
            onChoose={({ data_schema, ...rest }) => {
              setSchema(data_schema);
              setOptions({ ...rest, cite_sources: true, confidence_scores: true });
            }}
          />
        )}
      </Card>
      {jobType === 'extract' && (
        <SchemaEditor schema={schema} fileId={indexId ? undefined : files.exampleId} onChange={setSchema} />
      )}
      {jobType === 'classify' && !savedId && (
        <RulesEditor
          rules={rules}
          onChange={setRules}
          findError={(index, member) => run.error?.findFieldMessage(`configuration.rules.${index}.${member}`)}
        />
      )}
      {run.error && <Failure error={run.error} what={t('The batch could not be started')} />}
      <div className={jobs.buttons}>
        <Button
          writes
          look="primary"
          icon="play"
          busy={run.isPending || isReading}
          onClick={() => void begin().catch(() => {})}
        >
          {t('Start batch')}
        </Button>
      </div>
    </Page>
  );
}

function SavedConfiguration({
  jobType,
  value,
  onChoose,
}: {
  jobType: JobType;
  value: string;
  onChoose: (id: string) => void;
}) {
  const read = useApiQuery('GET /api/v1/beta/configurations', {
    query: { product_type: [PRODUCTS[jobType]], page_size: 100 },
  });
  const saved = read.data?.items ?? [];
  return (
    <Select
      label={t('Saved configuration')}
      value={value}
      choices={[
        { value: '', label: jobType === 'parse' ? t('Default settings') : t('None') },
        ...saved.map(({ id, name, version }) => ({ value: id, label: `${name}, ${moment(version)}` })),
      ]}
      onChange={({ target }) => onChoose(target.value)}
    />
  );
}
