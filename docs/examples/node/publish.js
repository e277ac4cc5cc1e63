// Publishes "this output can be fetched" with amqplib: `node publish.js ACCOUNT JOB KIND < link.txt`.
// Needs `npm ci` in this folder and the variable OUTLAST_AMQP_URL. Ends with 0 only when RabbitMQ has the event safe.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'amqplib';

const SECONDS = 15;

// A CloudEvents envelope; keep its id and send it again unchanged when the outcome is unknown.
function eventOf(job, kind, link) {
  return {
    specversion: '1.0',
    id: randomUUID(),
    source: 'example/amqplib',
    type: 'outlast.output.ready',
    time: new Date().toISOString(),
    data: { provider: 'acme', job_id: job, kind, url: link },
  };
}

// Hands over one event and waits until RabbitMQ has written it; rejects with an error that says what to do.
async function publish(amqpUrl, account, event) {
  const connection = await connect(amqpUrl, { timeout: SECONDS * 1000 });
  // Without a listener an error of the connection would end the process, and its text would be the last word.
  connection.on('error', () => {});
  try {
    const channel = await connection.createConfirmChannel();
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no confirm in time')), SECONDS * 1000);
      const settle = (error) => {
        clearTimeout(timer);
        error ? reject(error) : resolve();
      };
      channel.on('error', settle);
      // A message that no queue takes comes back, and then it is confirmed all the same.
      channel.on('return', () => settle(new Error('no queue takes it: an administrator must run `outlast migrate`')));
      channel.publish(
        'outlast.intake',
        `${account}.${event.type}`,
        Buffer.from(JSON.stringify(event)),
        { contentType: 'application/json', persistent: true, messageId: event.id, mandatory: true },
        settle,
      );
    });
  } finally {
    await connection.close().catch(() => {});
  }
}

const [account, job, kind] = process.argv.slice(2);
const link = readFileSync(0, 'utf8').trim();
if (!kind || !link) {
  console.error('Usage: node publish.js ACCOUNT JOB KIND < link.txt');
  process.exit(2);
}
const event = eventOf(job, kind, link);
try {
  await publish(process.env.OUTLAST_AMQP_URL, account, event);
  console.log(event.id);
} catch (error) {
  console.error(`Not confirmed, send it again with the same id: ${error.message}`);
  process.exitCode = 1;
}
