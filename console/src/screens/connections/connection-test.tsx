import { Badge } from '../../ui/badge.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { bytes, plural } from '../../ui/format.ts';
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
            Connected
          </Badge>
        ) : (
          <Badge tone="bad" icon="failed">
            Failed
          </Badge>
        )}{' '}
        {test.message}
      </p>
      {test.sample && test.sample.length > 0 && (
        <>
          <p>{`The first ${plural(test.sample.length, 'file')} that a sync would list:`}</p>
          <Table
            label="Sample"
            columns={[
              { key: 'path', header: 'Path', cell: ({ path, name }) => path || name },
              { key: 'size', header: 'Size', number: true, cell: ({ size }) => bytes(size) },
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
  <Dialog title="Connection test" onClose={onClose}>
    <TestResultView test={test} />
  </Dialog>
);
