import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import type { ApiError } from '../../api/errors.ts';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectId } from '../../shell/project.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import { Failure } from '../../ui/states.tsx';
import { useKept } from '../../ui/use-kept.ts';
import { FilePicker } from '../jobs/file-picker.tsx';
import styles from '../jobs/jobs.module.css';
import { useFormAddress } from '../jobs/use-form-address.ts';
import { Configurations } from './configurations.tsx';
import type { Options } from './options.ts';
import { EMPTY, type Schema } from './schema.ts';
import { SchemaEditor } from './schema-editor.tsx';

const DEFAULT_OPTIONS: Options = { cite_sources: true, confidence_scores: true };

/** Form for an extraction job. It can start with the settings of an earlier job. */
export function NewExtraction() {
  const [search, setParameter] = useFormAddress();
  const [, navigate] = useLocation();
  const pathTo = useProjectPath();
  const file = search.get('file') || undefined;
  const from = search.get('from') ?? '';
  const project = useProjectId();
  // Kept, so that a schema is still there after the Back button or another page.
  const [schema, setSchema, forgetSchema] = useKept<Schema>(`extraction-schema ${project}`, EMPTY);
  const [options, setOptions, forgetOptions] = useKept(`extraction-options ${project}`, DEFAULT_OPTIONS);
  const [missing, setMissing] = useState<string>();
  const run = useApiMutation('POST /api/v2/extract', ['GET /api/v2/extract']);

  const applyConfiguration = ({ data_schema, ...rest }: Options & { data_schema: Schema }) => {
    setSchema(data_schema);
    setOptions(rest);
  };
  const before = useApiQuery(
    'GET /api/v2/extract/{job_id}',
    { params: { job_id: from } },
    { enabled: from !== '' },
  );
  const old = before.data?.configuration;
  // Removes the earlier job from the address, because the Back button would otherwise replace the changed form
  // with its settings again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: applied once, when the earlier job has loaded
  useEffect(() => {
    if (!old || !from) return;
    applyConfiguration(old as Options & { data_schema: Schema });
    setParameter('from', '');
  }, [old?.data_schema && from]);

  const choose = (id: string) => {
    setMissing(undefined);
    setParameter('file', id);
  };
  const begin = async () => {
    if (!file) {
      setMissing(t('Select a document first.'));
      return;
    }
    const made = await run.mutateAsync({
      body: { file_input: file, configuration: { ...options, data_schema: schema } },
    });
    navigate(pathTo(`/extract/${made.id}`));
  };
  const set = (changes: Options) => setOptions({ ...options, ...changes });
  const error: ApiError | null = run.error;
  return (
    <>
      <Card title={t('New extraction')}>
        <FilePicker value={file} onChoose={choose} error={missing} />
        <Configurations configuration={{ ...options, data_schema: schema }} onChoose={applyConfiguration} />
      </Card>
      <SchemaEditor schema={schema} fileId={file} onChange={setSchema} />
      <Card title={t('Options')}>
        <div className={styles.options}>
          <Select
            label={t('Extract per')}
            value={options.extraction_target ?? 'per_doc'}
            choices={[
              { value: 'per_doc', label: t('Document') },
              { value: 'per_page', label: t('Page') },
              { value: 'per_table_row', label: t('Table row') },
            ]}
            onChange={({ target }) => set({ extraction_target: target.value as 'per_doc' })}
          />
          <Select
            label={t('Quality')}
            value={options.tier ?? 'cost_effective'}
            choices={[
              { value: 'cost_effective', label: t('Standard') },
              { value: 'agentic', label: t('High') },
            ]}
            onChange={({ target }) => set({ tier: target.value as 'agentic' })}
          />
          <TextField
            label={t('Pages')}
            optional
            hint={t('For example 1-3,7')}
            value={options.target_pages ?? ''}
            error={error?.findFieldMessage('configuration.target_pages')}
            onChange={({ target }) => set({ target_pages: target.value || null })}
          />
        </div>
        <TextField
          label={t('Instructions')}
          optional
          hint={t('Sent to the language model, if one is configured.')}
          value={options.system_prompt ?? ''}
          onChange={({ target }) => set({ system_prompt: target.value || null })}
        />
        <Checkbox
          label={t('Cite sources')}
          checked={options.cite_sources ?? false}
          onChange={({ target }) => set({ cite_sources: target.checked })}
        />
        <Checkbox
          label={t('Confidence scores')}
          checked={options.confidence_scores ?? false}
          onChange={({ target }) => set({ confidence_scores: target.checked })}
        />
      </Card>
      {error && <Failure error={error} what={t('The extraction could not be started')} />}
      <div className={styles.buttons}>
        {schema !== EMPTY && (
          <Button
            look="quiet"
            onClick={() => {
              forgetSchema();
              forgetOptions();
            }}
          >
            {t('Clear the schema')}
          </Button>
        )}
        <Button
          look="primary"
          writes
          icon="play"
          busy={run.isPending}
          onClick={() => void begin().catch(() => {})}
        >
          {t('Extract')}
        </Button>
      </div>
    </>
  );
}
