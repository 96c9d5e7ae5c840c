import { useState } from 'react';
import { useAction } from '../../api/hooks.ts';
import { announce } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, TextArea } from '../../ui/field.tsx';
import { JsonField } from '../../ui/json-field.tsx';
import { Card } from '../../ui/page.tsx';
import { Failure } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { Schema } from './schema.ts';
import { SchemaTable } from './schema-table.tsx';

interface SchemaEditorProps {
  schema: Schema;
  /** The chosen document, from which a schema can be made. */
  fileId: string | undefined;
  onChange: (schema: Schema) => void;
}

const VIEWS = [
  { key: 'table', label: 'Table' },
  { key: 'json', label: 'JSON Schema' },
] as const;

/** Which values are wanted: as a table of fields, or as the JSON Schema that they make. */
export function SchemaEditor({ schema, fileId, onChange }: SchemaEditorProps) {
  const [view, setView] = useState<'table' | 'json'>('table');
  const [isGenerating, setGenerating] = useState(false);
  const check = useAction('POST /api/v2/extract/schema/validation');
  const validate = () =>
    check.mutate({ body: { data_schema: schema } }, { onSuccess: () => announce('The schema is right') });
  const change = (next: Schema | undefined) => {
    check.reset();
    if (next) onChange(next);
  };
  return (
    <Card
      title="Values"
      actions={
        <>
          <Button small busy={check.isPending} icon="check" onClick={validate}>
            Check
          </Button>
          <Button small icon="edit" onClick={() => setGenerating(true)}>
            Generate
          </Button>
        </>
      }
    >
      <Tabs label="View of the schema" tabs={VIEWS} chosen={view} onChoose={setView}>
        {view === 'table' ? (
          <SchemaTable group={schema} onChange={change} />
        ) : (
          <JsonField label="JSON Schema" value={schema} rows={18} error={undefined} onSet={change} />
        )}
      </Tabs>
      {check.error && <Failure error={check.error} what="The schema breaks a rule" />}
      {check.isSuccess && <p>The schema is right.</p>}
      {isGenerating && (
        <Generate schema={schema} fileId={fileId} onMade={change} onClose={() => setGenerating(false)} />
      )}
    </Card>
  );
}

interface GenerateProps {
  schema: Schema;
  fileId: string | undefined;
  onMade: (schema: Schema) => void;
  onClose: () => void;
}

function Generate({ schema, fileId, onMade, onClose }: GenerateProps) {
  const [prompt, setPrompt] = useState('');
  const [withFile, setWithFile] = useState(fileId !== undefined);
  const [withSchema, setWithSchema] = useState(false);
  const make = useAction('POST /api/v2/extract/schema/generate');
  const generate = async () => {
    const made = await make.mutateAsync({
      body: {
        ...(prompt.trim() && { prompt: prompt.trim() }),
        ...(withFile && fileId && { file_id: fileId }),
        ...(withSchema && { data_schema: schema }),
      },
    });
    onMade(made.parameters.data_schema as Schema);
    announce(made.note ?? `The schema was made by ${made.model}`);
    onClose();
  };
  return (
    <Dialog
      title="Generate a schema"
      onClose={onClose}
      onSubmit={() => void generate().catch(() => {})}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={make.isPending}>
            Generate
          </Button>
        </>
      }
    >
      <TextArea
        label="What do you want to know?"
        optional
        value={prompt}
        placeholder="Number, date and total of an invoice"
        onChange={({ target }) => setPrompt(target.value)}
      />
      <Checkbox
        label="From the chosen document"
        hint={fileId ? 'Its first pages are read.' : 'Choose a document first.'}
        disabled={!fileId}
        checked={withFile}
        onChange={({ target }) => setWithFile(target.checked)}
      />
      <Checkbox
        label="Go on from the schema that is there"
        checked={withSchema}
        onChange={({ target }) => setWithSchema(target.checked)}
      />
      {make.error && <Failure error={make.error} what="No schema could be made" />}
    </Dialog>
  );
}
