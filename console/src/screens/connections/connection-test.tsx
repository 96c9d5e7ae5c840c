import { t } from '../../i18n/messages.ts';
import { Badge } from '../../ui/badge.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { bytes } from '../../ui/format.ts';
import { Table } from '../../ui/table.tsx';

interface Sample {
  name: string;
  path: string;
  size: number | null;
}

export interface TestResult {
  success: boolean;
  message: string;
  loc?: (string | number)[];
  sample?: Sample[];
}

export function TestResultView({ test }: { test: TestResult }) {
  return (
    <div role="status">
      <p>
        {test.success ? (
          <Badge tone="good" icon="check">
            {t('Connected')}
          </Badge>
        ) : (
          <Badge tone="bad" icon="failed">
            {t('Failed')}
          </Badge>
        )}{' '}
        {test.message}
      </p>
      {test.sample && test.sample.length > 0 && (
        <>
          <p>
            {t('The first {count, plural, one {# file} other {# files}} that a sync would list:', {
              count: test.sample.length,
            })}
          </p>
          <Table
            label={t('Sample')}
            columns={[
              { key: 'path', header: t('Path'), cell: ({ path, name }) => path || name },
              { key: 'size', header: t('Size'), number: true, cell: ({ size }) => bytes(size) },
            ]}
            rows={test.sample}
            getRowKey={({ path, name }) => `${path}/${name}`}
          />
        </>
      )}
    </div>
  );
}

export const TestDialog = ({ test, onClose }: { test: TestResult; onClose: () => void }) => (
  <Dialog title={t('Connection test')} onClose={onClose}>
    <TestResultView test={test} />
  </Dialog>
);
