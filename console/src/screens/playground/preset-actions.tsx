import { useState } from 'react';
import { useAction } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import { announce } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { plural } from '../../ui/format.ts';
import { Failure } from '../../ui/states.tsx';
import styles from './panel.module.css';
import type { Settings } from './settings.ts';

interface PresetActionsProps {
  index: Pipeline;
  settings: Settings;
  onReset: () => void;
}

/** Back to the index's own parameters, or making these its own. */
export function PresetActions({ index, settings, onReset }: PresetActionsProps) {
  const [isOpen, setOpen] = useState(false);
  const save = useAction('PUT /api/v1/pipelines/{pipeline_id}', [
    'GET /api/v1/pipelines/{pipeline_id}',
    'GET /api/v1/pipelines',
  ]);
  const changed = Object.keys(settings).length;
  const confirm = async () => {
    await save.mutateAsync({
      params: { pipeline_id: index.id },
      body: { preset_retrieval_parameters: { ...index.preset_retrieval_parameters, ...settings } },
    });
    announce('Saved as the index’s preset');
    setOpen(false);
    onReset();
  };
  const actions = (
    <>
      <Button onClick={() => setOpen(false)}>Cancel</Button>
      <Button look="primary" type="submit" busy={save.isPending}>
        Save
      </Button>
    </>
  );
  return (
    <div className={styles.actions}>
      <Button small disabled={changed === 0} onClick={onReset}>
        Reset
      </Button>
      <Button small disabled={changed === 0} onClick={() => setOpen(true)}>
        Save as preset
      </Button>
      {isOpen && (
        <Dialog
          title="Save as the index’s preset"
          onClose={() => setOpen(false)}
          onSubmit={() => void confirm().catch(() => {})}
          actions={actions}
        >
          <p>
            From now on everyone who searches “{index.name}” without saying otherwise, and its chats, search
            with {plural(changed, 'changed parameter')}.
          </p>
          {save.error && <Failure error={save.error} what="The preset could not be saved" />}
        </Dialog>
      )}
    </div>
  );
}
