import { useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import type { ApiError } from '../../api/errors.ts';
import { useAction, useAnswer } from '../../api/hooks.ts';
import { useAt } from '../../shell/link.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import { Failure } from '../../ui/states.tsx';
import { FilePicker } from '../jobs/file-picker.tsx';
import styles from '../jobs/jobs.module.css';
import { Configurations } from './configurations.tsx';
import type { Options } from './options.ts';
import { EMPTY, type Schema } from './schema.ts';
import { SchemaEditor } from './schema-editor.tsx';

const BEGIN: Options = { cite_sources: true, confidence_scores: true };

/** A new job: which document, which values, and how. It may begin with those of another job. */
export function NewExtraction() {
  const [search, setSearch] = useSearchParams();
  const [, navigate] = useLocation();
  const at = useAt();
  const file = search.get('file') || undefined;
  const from = search.get('from') ?? '';
  const [schema, setSchema] = useState<Schema>(EMPTY);
  const [options, setOptions] = useState<Options>(BEGIN);
  const [missing, setMissing] = useState<string>();
  const run = useAction('POST /api/v2/extract', ['GET /api/v2/extract']);

  const take = ({ data_schema, ...rest }: Options & { data_schema: Schema }) => {
    setSchema(data_schema);
    setOptions(rest);
  };
  const before = useAnswer(
    'GET /api/v2/extract/{job_id}',
    { params: { job_id: from } },
    { enabled: from !== '' },
  );
  const old = before.data?.configuration;
  // biome-ignore lint/correctness/useExhaustiveDependencies: taken over once, when it has been read
  useEffect(() => {
    if (old && from) take(old as Options & { data_schema: Schema });
  }, [old?.data_schema && from]);

  const choose = (id: string) => {
    setMissing(undefined);
    setSearch(
      (known) => {
        const next = new URLSearchParams(known);
        if (id) next.set('file', id);
        else next.delete('file');
        return next;
      },
      { replace: true },
    );
  };
  const begin = async () => {
    if (!file) {
      setMissing('Choose a document first.');
      return;
    }
    const made = await run.mutateAsync({
      body: { file_input: file, configuration: { ...options, data_schema: schema } },
    });
    navigate(at(`/extract/${made.id}`));
  };
  const set = (changes: Options) => setOptions({ ...options, ...changes });
  const error: ApiError | null = run.error;
  return (
    <>
      <Card title="New extraction">
        <FilePicker value={file} onChoose={choose} error={missing} />
        <Configurations configuration={{ ...options, data_schema: schema }} onTake={take} />
      </Card>
      <SchemaEditor schema={schema} fileId={file} onChange={setSchema} />
      <Card title="How">
        <div className={styles.options}>
          <Select
            label="One result"
            value={options.extraction_target ?? 'per_doc'}
            choices={[
              { value: 'per_doc', label: 'Of the document' },
              { value: 'per_page', label: 'Of each page' },
              { value: 'per_table_row', label: 'Of each row of a table' },
            ]}
            onChange={({ target }) => set({ extraction_target: target.value as 'per_doc' })}
          />
          <Select
            label="Effort"
            value={options.tier ?? 'cost_effective'}
            choices={[
              { value: 'cost_effective', label: 'Usual' },
              { value: 'agentic', label: 'More' },
            ]}
            onChange={({ target }) => set({ tier: target.value as 'agentic' })}
          />
          <TextField
            label="Pages"
            optional
            hint="As 1-3,7"
            value={options.target_pages ?? ''}
            error={error?.of('configuration.target_pages')}
            onChange={({ target }) => set({ target_pages: target.value || null })}
          />
        </div>
        <TextField
          label="What to heed"
          optional
          hint="Said to the language model, where one is set."
          value={options.system_prompt ?? ''}
          onChange={({ target }) => set({ system_prompt: target.value || null })}
        />
        <Checkbox
          label="Show where each value stands"
          checked={options.cite_sources ?? false}
          onChange={({ target }) => set({ cite_sources: target.checked })}
        />
        <Checkbox
          label="Say how sure each value is"
          checked={options.confidence_scores ?? false}
          onChange={({ target }) => set({ confidence_scores: target.checked })}
        />
      </Card>
      {error && <Failure error={error} what="The extraction could not begin" />}
      <div className={styles.buttons}>
        <Button look="primary" icon="play" busy={run.isPending} onClick={() => void begin().catch(() => {})}>
          Extract
        </Button>
      </div>
    </>
  );
}
