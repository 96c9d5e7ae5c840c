import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Body } from '../../api/types.ts';
import { PasswordForm } from '../../forms/password-form.tsx';
import { t } from '../../i18n/messages.ts';
import { Notice } from '../../ui/notice.tsx';

const INDEX = 'GET /api/v1/pipelines/{pipeline_id}';

type Parameters = Body<'PUT /api/v1/pipelines/{pipeline_id}'>['parse_parameters'];

/**
 * Asks for the password of a file in an index. The password is saved in the parse parameters of the index,
 * because one password applies to all of its files. The other parameters are preserved.
 */
export function IndexPassword({
  indexId,
  onSaved,
}: {
  indexId: string;
  /** Retries the file. */
  onSaved: () => Promise<unknown>;
}) {
  const client = useQueryClient();
  const params = { pipeline_id: indexId };
  const index = useApiQuery(INDEX, { params });
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
        <Notice tone="warn" icon="warning" title={t('This index already has a password')}>
          {t('An index has only one password. After you replace it, files that need the old one fail.')}
        </Notice>
      )}
      <PasswordForm
        hint={t(
          'The password is encrypted, saved with the settings of this index and not shown again. The next sync reads the other files of the index again with it.',
        )}
        onPassword={save}
      />
    </>
  );
}
