import { useState } from 'react';
import { t } from '../i18n/messages.ts';
import { Button } from './button.tsx';
import type { Call } from './code-sample.tsx';
import { Dialog } from './dialog.tsx';
import { useOverlays } from './overlays/load.ts';
import { Skeleton } from './states.tsx';

/** Button that shows the API requests of the page as code in three languages. */
export function CodeButton({ calls }: { calls: Call[] }) {
  const [isOpen, setOpen] = useState(false);
  const overlays = useOverlays(isOpen);
  return (
    <>
      <Button icon="code" onClick={() => setOpen(true)}>
        {t('Code')}
      </Button>
      {isOpen && (
        <Dialog title={t('Use the API')} wide onClose={() => setOpen(false)}>
          {overlays ? <overlays.CodeSamples calls={calls} /> : <Skeleton rows={3} />}
        </Dialog>
      )}
    </>
  );
}
