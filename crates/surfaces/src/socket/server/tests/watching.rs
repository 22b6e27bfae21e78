//! Whoever watches, asks much or only holds a connection.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn whoever_watches_hears_what_opens_and_what_ends() {
    let leader = Desk::start().await;
    let (first, _one) = leader.open(17).await;
    let path = leader.path.clone();
    let (tell, heard) = flume::bounded(16);
    let watching = tokio::task::spawn_blocking(move || {
        let mut client = Client::connect(&path).unwrap();
        client.watch().unwrap();
        while let Ok(Some(reply)) = client.heard() {
            let _ = tell.send(reply);
        }
    });
    let Reply::Queue { requests, .. } = heard.recv_async().await.unwrap() else {
        panic!("no list");
    };
    assert_eq!(requests[0].id, first.id);
    let (second, _two) = leader.open(18).await;
    let opened = heard.recv_async().await.unwrap();
    assert!(matches!(&opened, Reply::Opened { request } if request.id == second.id));
    leader.ask(answer_to(&first, AnswerWord::Deny)).await;
    let closed = heard.recv_async().await.unwrap();
    assert!(
        matches!(&closed, Reply::Closed { id, .. } if *id == first.id),
        "{closed:?}"
    );
    leader.stop().await;
    watching.await.unwrap();
}

/// On one thread, where a task that does not make way is the only one that runs.
#[tokio::test]
async fn whoever_asks_much_at_once_makes_way_after_each_answer() {
    const ASKS: usize = 100;
    let leader = Desk::start().await;
    let stream = UnixStream::connect(&leader.path).await.unwrap();
    let (read, mut write) = stream.into_split();
    let asks = b"{\"ask\":\"status\"}\n".repeat(ASKS);
    write.write_all(&asks).await.unwrap();
    let turns = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = Arc::clone(&turns);
    let mut others = JoinSet::new();
    others.spawn(async move {
        loop {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            tokio::task::yield_now().await;
        }
    });
    let mut answers = BufReader::new(read).lines();
    for _ in 0..ASKS {
        assert!(answers.next_line().await.unwrap().is_some());
    }
    let turns = turns.load(std::sync::atomic::Ordering::Relaxed);
    assert!(turns >= ASKS, "{turns} turns for others in {ASKS} answers");
    others.shutdown().await;
    leader.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_are_only_held_keep_nobody_out() {
    let leader = Desk::start().await;
    let (request, _ticket) = leader.open(1).await;
    let mut held = Vec::new();
    for at in 0..600 {
        let mut stream = BlockingStream::connect(&leader.path).unwrap();
        // Some watch, some have begun to say something.
        match at % 3 {
            0 => stream.write_all(b"{\"ask\":\"watch\"}\n").unwrap(),
            1 => stream.write_all(b"{\"ask\"").unwrap_or_default(),
            _ => {}
        }
        held.push(stream);
    }
    let Reply::Queue { requests, .. } = leader.ask(Ask::Queue).await else {
        panic!("no queue");
    };
    assert_eq!(requests.len(), 1);
    let answered = leader.ask(answer_to(&request, AnswerWord::Allow)).await;
    assert!(
        matches!(
            &answered,
            Reply::Answered {
                came: Came::Won,
                ..
            }
        ),
        "{answered:?}"
    );
    drop(held);
    leader.stop().await;
}
