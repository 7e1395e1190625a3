document.title = 'gitmoor'
