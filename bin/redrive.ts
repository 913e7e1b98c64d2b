console.log('redrive');
