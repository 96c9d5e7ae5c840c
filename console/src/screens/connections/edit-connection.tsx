import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import { collectSchemasByTitle, getBodySchema, useOpenApi } from '../../forms/schema.ts';
import { SchemaForm, type Values } from '../../forms/schema-form.tsx';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import type { Category, Connection } from './categories.ts';
import { type TestResult, TestResultView } from './connection-test.tsx';
import { GuideLink } from './product-label.tsx';
import { findProduct } from './products.ts';

interface EditProps {
  category: Category;
  /** Connection to edit, or `undefined` to create one. */
  connection: Connection | undefined;
  kinds: { type: string; title: string }[];
  onClose: () => void;
}

/**
 * Creates or edits a connection, with a form built from the API schema. The settings can be tested before
 * they are saved.
 */
export function EditConnection({ category, connection, kinds, onClose }: EditProps) {
  const client = useQueryClient();
  const description = useOpenApi();
  const [name, setName] = useState(connection?.name ?? '');
  const [chosenType, setType] = useState(connection?.type);
  // The types may be loaded after the dialog was opened.
  const type = chosenType ?? kinds[0]?.type ?? '';
  const [component, setComponent] = useState<Values>(connection?.component ?? {});
  const save = useMutation<unknown, ApiError>({
    mutationFn: () => {
      const body = category.body(name.trim(), type, dropEmpty(component));
      if (!connection) return send({ method: 'POST', path: category.path, body });
      return send({ method: 'PUT', path: `${category.path}/{id}`, params: { id: connection.id }, body });
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [category.list] });
      onClose();
    },
  });
  const test = useMutation<TestResult, ApiError>({
    mutationFn: () =>
      send({
        method: 'POST',
        path: category.testPath,
        body: category.testBody(name.trim() || 'try', type, dropEmpty(component)),
      }) as Promise<TestResult>,
  });
  const [lastAction, setLastAction] = useState<'save' | 'try'>('save');
  const error = lastAction === 'save' ? save.error : test.error;
  const failedField = test.data?.success === false ? test.data.loc?.join('.') : undefined;
  const findError = (member: string) => {
    const path = `${category.componentPath}.${member}`;
    const testBody = lastAction === 'try' && category.key === 'embeddings' ? `component.${member}` : path;
    if (lastAction === 'try' && failedField && [member, path, `component.${member}`].includes(failedField)) {
      return test.data?.message;
    }
    return error?.findFieldMessage(testBody) ?? error?.findFieldMessage(path);
  };
  return (
    <Dialog
      title={connection ? t('Edit {name}', { name: connection.name }) : category.newLabel}
      wide
      onClose={onClose}
      onSubmit={() => {
        setLastAction('save');
        save.mutate();
      }}
      actions={
        <>
          <Button
            icon="play"
            busy={test.isPending}
            disabled={type === ''}
            onClick={() => {
              setLastAction('try');
              test.mutate();
            }}
          >
            {t('Test connection')}
          </Button>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" busy={save.isPending} disabled={type === ''}>
            {connection ? t('Save') : t('Create')}
          </Button>
        </>
      }
    >
      <TextField
        label={t('Name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={save.error?.findFieldMessage('name')}
        autoComplete="off"
        autoFocus
      />
      <Select
        label={t('Type')}
        choices={kinds.map((kind) => ({
          value: kind.type,
          label: findProduct(kind.type)?.name ?? kind.title,
        }))}
        value={type}
        disabled={connection !== undefined}
        onChange={(event) => {
          setType(event.target.value);
          setComponent({});
          test.reset();
        }}
      />
      <GuideLink type={type} />
      <Loaded read={description} what={t('The form could not be loaded')}>
        {(known) => {
          const body = getBodySchema(known, 'post', category.path);
          const schema = collectSchemasByTitle(known, category.component(body)).get(type);
          return schema ? (
            <SchemaForm
              key={type}
              schema={schema}
              values={component}
              onChange={setComponent}
              findError={findError}
              isSaved={connection !== undefined}
            />
          ) : null;
        }}
      </Loaded>
      {lastAction === 'try' && test.data && <TestResultView test={test.data} />}
      {error && (
        <Failure
          error={error}
          what={
            lastAction === 'save'
              ? t('The connection could not be saved')
              : t('The connection could not be tested')
          }
        />
      )}
    </Dialog>
  );
}

/** Removes form fields that were left empty. */
const dropEmpty = (component: Values): Values =>
  Object.fromEntries(Object.entries(component).filter(([, value]) => value !== undefined && value !== null));
