import { App } from 'aws-cdk-lib';
import { WebhookStack } from '../examples/webhooks/stack';

const app = new App();
new WebhookStack(app, 'Webhooks', { description: 'cdk-redrive: the reference stack' });
app.synth();
