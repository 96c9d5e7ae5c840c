import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useApiMutation } from '../../api/hooks.ts';
import type { Body } from '../../api/types.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import { Failure } from '../../ui/states.tsx';
import { FilePicker } from '../jobs/file-picker.tsx';
import styles from '../jobs/jobs.module.css';

type Parameters = NonNullable<Body<'POST /api/v2/parse'>['configuration']>;

const SWITCHES = [
  ['disable_ocr', 'Skip OCR', 'Pages without a text layer stay empty.'],
  ['high_res_ocr', 'High-resolution OCR', 'Slower. Use it for small print.'],
  ['output_tables_as_HTML', 'Tables as HTML', 'Instead of Markdown.'],
  ['annotate_links', 'Keep link targets', undefined],
] as const satisfies readonly (readonly [keyof Parameters, string, string | undefined])[];

/** Form for a parse job with the most important parameters. */
export function NewParse() {
  const [search, setSearch] = useSearchParams();
  const [, navigate] = useLocation();
  const pathTo = useProjectPath();
  const file = search.get('file') || undefined;
  const [parameters, setParameters] = useState<Parameters>({});
  const [missing, setMissing] = useState<string>();
  const run = useApiMutation('POST /api/v2/parse', ['GET /api/v2/parse']);
  const set = (changes: Parameters) => setParameters({ ...parameters, ...changes });
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
      setMissing('Select a document first.');
      return;
    }
    const made = await run.mutateAsync({ body: { file_id: file, configuration: parameters } });
    navigate(pathTo(`/parse/${made.id}`));
  };
  return (
    <>
      <Card title="New parse">
        <FilePicker value={file} onChoose={choose} error={missing} />
        <div className={styles.options}>
          <TextField
            label="Pages"
            optional
            hint="For example 1-3,7"
            value={parameters.target_pages ?? ''}
            error={run.error?.findFieldMessage('configuration.target_pages')}
            onChange={({ target }) => set({ target_pages: target.value || null })}
          />
          <TextField
            label="Max pages"
            optional
            type="number"
            min={1}
            value={parameters.max_pages ?? ''}
            error={run.error?.findFieldMessage('configuration.max_pages')}
            onChange={({ target }) => set({ max_pages: target.value ? Number(target.value) : null })}
          />
        </div>
        {SWITCHES.map(([name, label, hint]) => (
          <Checkbox
            key={name}
            label={label}
            hint={hint}
            checked={parameters[name] ?? false}
            onChange={({ target }) => set({ [name]: target.checked })}
          />
        ))}
      </Card>
      {run.error && <Failure error={run.error} what="The parse job could not be started" />}
      <div className={styles.buttons}>
        <Button look="primary" icon="play" busy={run.isPending} onClick={() => void begin().catch(() => {})}>
          Parse
        </Button>
      </div>
    </>
  );
}
