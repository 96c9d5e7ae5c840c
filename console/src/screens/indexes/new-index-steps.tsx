import { useRef, useState } from 'react';
import type { ApiError } from '../../api/errors.ts';
import { useAnswer } from '../../api/hooks.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { bytes } from '../../ui/format.ts';
import { LeftOut } from '../../uploads/left-out.tsx';
import {
  chooseFromDisk,
  type Picked,
  type PickedFile,
  pickFiles,
  readDropped,
} from '../../uploads/picked.ts';
import { useEmbeddingChoices, useKindTitles, useSinkChoices } from '../index/connections.ts';
import { TransformFields } from '../index/transform-fields.tsx';
import styles from './indexes.module.css';
import type { IndexDraft } from './make-index.ts';

interface StepProps {
  draft: IndexDraft;
  change: (changes: Partial<IndexDraft>) => void;
}

type Refused = { error: ApiError | undefined };

export function NameStep({ draft, change, error }: StepProps & Refused) {
  return (
    <TextField
      label="Name"
      name="index-name"
      value={draft.name}
      onChange={({ target }) => change({ name: target.value })}
      hint="What it is about: Manuals, Contracts of 2026. Everything else has a default and can be changed later."
      error={error?.of('name') ?? (error?.status === 409 ? error.message : undefined)}
      autoComplete="off"
      required
      autoFocus
    />
  );
}

export function ContentsStep({ draft, change }: StepProps) {
  return (
    <>
      <FileDrop files={draft.files} onChange={(files) => change({ files })} />
      <SourceChoice chosen={draft.sourceIds} onChange={(sourceIds) => change({ sourceIds })} />
    </>
  );
}

function FileDrop({ files, onChange }: { files: PickedFile[]; onChange: (files: PickedFile[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(files);
  latest.current = files;
  const [isOver, setOver] = useState(false);
  const [leftOut, setLeftOut] = useState<Omit<Picked, 'files'>>({ skipped: [], unreadable: [] });
  const add = ({ files: more, skipped, unreadable }: Picked) => {
    // A folder takes a while to read; other files may have been chosen meanwhile.
    onChange([...latest.current, ...more]);
    setLeftOut((before) => ({
      skipped: [...before.skipped, ...skipped],
      unreadable: [...before.unreadable, ...unreadable],
    }));
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: files are dropped here; the button does it by keys */}
      <div
        className={classes(styles.drop, isOver && styles.over)}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          // The page below would take them too.
          event.stopPropagation();
          setOver(false);
          void readDropped(event.dataTransfer).then(add);
        }}
      >
        <p>Drop files or folders here, or</p>
        <Button icon="upload" onClick={() => input.current?.click()}>
          Choose files
        </Button>
        <Button icon="upload" onClick={() => void chooseFromDisk('folder').then(add)}>
          Choose folder
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files"
          onChange={({ target }) => {
            add(pickFiles(target.files ?? []));
            target.value = '';
          }}
        />
      </div>
      <LeftOut {...leftOut} />
      {files.length > 0 && (
        <ul className={styles.files} aria-label="Chosen files">
          {files.map(({ file, path = file.name }, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be chosen twice
            <li key={position}>
              <span className={styles.file}>
                {path} <span className={styles.size}>{bytes(file.size)}</span>
              </span>
              <IconButton
                icon="close"
                small
                label={`Leave out ${path}`}
                onClick={() => onChange(files.toSpliced(position, 1))}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function SourceChoice({ chosen, onChange }: { chosen: string[]; onChange: (sourceIds: string[]) => void }) {
  const kind = useKindTitles();
  const { data: sources = [] } = useAnswer('GET /api/v1/data-sources', {});
  if (sources.length === 0) return null;
  const toggle = (id: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, id] : chosen.filter((each) => each !== id));
  return (
    <fieldset className={styles.sources}>
      <legend>Sources that it reads</legend>
      {sources.map(({ id, name, source_type }) => (
        <Checkbox
          key={id}
          label={name}
          hint={kind(source_type)}
          checked={chosen.includes(id)}
          onChange={({ target }) => toggle(id, target.checked)}
        />
      ))}
    </fieldset>
  );
}

export function OptionsStep({ draft, change, error }: StepProps & Refused) {
  return (
    <>
      <TransformFields
        draft={draft.transform}
        onChange={(transform) => change({ transform })}
        error={error}
      />
      <Select
        label="Embedding model"
        hint="Turns chunks into vectors. Others are set up under Connections."
        choices={useEmbeddingChoices()}
        value={draft.embeddingId}
        onChange={({ target }) => change({ embeddingId: target.value })}
      />
      <Select
        label="Kept in"
        hint="Where the index lies: here, or in a vector store of yours."
        choices={useSinkChoices()}
        value={draft.sinkId}
        onChange={({ target }) => change({ sinkId: target.value })}
      />
    </>
  );
}
