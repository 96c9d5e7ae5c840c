import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useAnswer } from '../../api/hooks.ts';
import type { Body } from '../../api/types.ts';
import { PasswordForm } from '../../forms/password-form.tsx';
import { Notice } from '../../ui/notice.tsx';

const INDEX = 'GET /api/v1/pipelines/{pipeline_id}';

type Parameters = Body<'PUT /api/v1/pipelines/{pipeline_id}'>['parse_parameters'];

/**
 * Asks for the password of a file in an index. The service has one password for all files of an index, so it is saved in
 * the parse parameters of the index; the other parameters stay.
 */
export function IndexPassword({
  indexId,
  onSaved,
}: {
  indexId: string;
  /** Tries the file again. */
  onSaved: () => Promise<unknown>;
}) {
  const client = useQueryClient();
  const params = { pipeline_id: indexId };
  const index = useAnswer(INDEX, { params });
  const hasPassword = Boolean((index.data?.parse_parameters as Parameters)?.password);
  const save = async (password: string) => {
    const { parse_parameters: before } = await call(INDEX, { params });
    const parse_parameters = { ...(before as Parameters), password };
    await call('PUT /api/v1/pipelines/{pipeline_id}', { params, body: { parse_parameters } });
    await client.invalidateQueries({ queryKey: [INDEX] });
    await onSaved();
  };
  return (
    <>
      {hasPassword && (
        <Notice tone="warn" icon="warning" title="This index has a password already">
          An index has one password. Files that only the old one opens fail after you replace it.
        </Notice>
      )}
      <PasswordForm
        hint="It is saved with the settings of this index, encrypted, and is not shown again. At the next sync, the other files of the index are read again with it."
        onPassword={save}
      />
    </>
  );
}
