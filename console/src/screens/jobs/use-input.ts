import { useAnswer } from '../../api/hooks.ts';

const FOR_LONG = { staleTime: 300_000 };

/** The document that a job reads: its file's id and name, also where it reads what a parse job has made of one. */
export function useInput(input: string): { fileId: string | undefined; name: string } {
  const isUrl = /^https?:/i.test(input);
  const isParse = input.startsWith('pjb-');
  const job = useAnswer(
    'GET /api/v2/parse/{job_id}',
    { params: { job_id: input } },
    { ...FOR_LONG, enabled: isParse },
  );
  const fileId = isUrl ? undefined : isParse ? (job.data?.file_id ?? undefined) : input.replace(/^dfl-/, '');
  const file = useAnswer(
    'GET /api/v1/files/{id}',
    { params: { id: fileId ?? '' } },
    { ...FOR_LONG, enabled: fileId !== undefined && fileId !== '' },
  );
  if (file.error?.status === 404) return { fileId: undefined, name: 'A deleted file' };
  return { fileId, name: file.data?.name ?? (isUrl ? input : 'File') };
}
