import { useLocation } from 'wouter';
import { call } from '../../api/client.ts';
import type { Body } from '../../api/types.ts';
import { needsPassword } from '../../forms/needs-password.ts';
import { PasswordForm } from '../../forms/password-form.tsx';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Card } from '../../ui/page.tsx';
import { isUnderWay } from './polling.ts';

type ParseConfiguration = Body<'POST /api/v2/parse'>['configuration'];

/** Milliseconds between two requests for the state of a parse job. */
const POLL_MS = 1000;

/** Starts a parse job with the password of the file. Returns the id of the job. */
export async function parseWithPassword(
  fileId: string,
  password: string,
  configuration: ParseConfiguration = {},
): Promise<string> {
  const body = { file_id: fileId, configuration: { ...configuration, password } };
  return (await call('POST /api/v2/parse', { body })).id;
}

/** Waits until a parse job is complete. Rejects with the job's error message if the job fails. */
export async function waitForParse(id: string): Promise<void> {
  for (;;) {
    const job = await call('GET /api/v2/parse/{job_id}', { params: { job_id: id } });
    if (job.status === 'COMPLETED') return;
    if (!isUnderWay(job.status)) throw new Error(job.error_message ?? t('The file could not be parsed.'));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

interface PasswordRetryProps {
  /** Error message of the failed job, from which a missing password is recognized. */
  message: string | null | undefined;
  fileId: string | undefined;
  /** Console path of the list of jobs, such as "/extract". */
  path: string;
  /** Creates a job that reads the file with the password. Returns the id of that job. */
  begin: (fileId: string, password: string) => Promise<string>;
}

/** Asks for a password if the job failed because its file is protected, and opens the new job. */
export function PasswordRetry({ message, fileId, path, begin }: PasswordRetryProps) {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  if (!fileId || !needsPassword(message)) return null;
  return (
    <Card title={t('The file is protected')}>
      <PasswordForm
        hint={t(
          'A new job reads the file with this password. The password is stored encrypted with that job and is not shown again.',
        )}
        onPassword={async (password) => navigate(pathTo(`${path}/${await begin(fileId, password)}`))}
      />
    </Card>
  );
}
