import { startLocal } from '../../../local/start-local';

/** An engine in a process of its own, so that it can be killed: prints its endpoint, and lives until then. */
const [assembly = '', dataFolder = ''] = process.argv.slice(2);
startLocal({ assembly, dataFolder }).then(
  ({ endpoint }) => console.log(`endpoint ${endpoint}`),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
