import { useLocation } from 'wouter';
import { call } from '../../api/client.ts';
import type { Body } from '../../api/types.ts';
import { needsPassword } from '../../forms/needs-password.ts';
import { PasswordForm } from '../../forms/password-form.tsx';
import { useAt } from '../../shell/link.ts';
import { Card } from '../../ui/page.tsx';
import { isUnderWay } from './polling.ts';

type ParseConfiguration = Body<'POST /api/v2/parse'>['configuration'];

/** Milliseconds between two looks at a parse job. */
const POLL_MS = 1000;

/** Parses a file with its password. Returns the id of the parse job. */
export async function parseWithPassword(
  fileId: string,
  password: string,
  configuration: ParseConfiguration = {},
): Promise<string> {
  const body = { file_id: fileId, configuration: { ...configuration, password } };
  return (await call('POST /api/v2/parse', { body })).id;
}

/** Resolves when a parse job is complete. Rejects with its message if it fails. */
export async function waitForParse(id: string): Promise<void> {
  for (;;) {
    const job = await call('GET /api/v2/parse/{job_id}', { params: { job_id: id } });
    if (job.status === 'COMPLETED') return;
    if (!isUnderWay(job.status)) throw new Error(job.error_message ?? 'The file could not be parsed.');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

interface PasswordRetryProps {
  /** Why the job failed. */
  message: string | null | undefined;
  fileId: string | undefined;
  /** "/extract" */
  place: string;
  /** Creates a job that reads the file with the password. Returns the id of that job. */
  begin: (fileId: string, password: string) => Promise<string>;
}

/** Offers a password for a job whose file is protected, and goes to the new job. */
export function PasswordRetry({ message, fileId, place, begin }: PasswordRetryProps) {
  const at = useAt();
  const [, navigate] = useLocation();
  if (!fileId || !needsPassword(message)) return null;
  return (
    <Card title="The file is protected">
      <PasswordForm
        hint="A new job reads the file with it. The password is encrypted with that job and is not shown again."
        onPassword={async (password) => navigate(at(`${place}/${await begin(fileId, password)}`))}
      />
    </Card>
  );
}
