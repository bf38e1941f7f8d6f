// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// What the service reads of the marketplace of mechs (valory-xyz/ai-registry-mech, MechMarketplace.sol):
/// the same functions, with requests that a test writes as it needs them.
contract TestMechMarketplace {
  struct RequestInfo {
    address priorityMech;
    address deliveryMech;
    address requester;
    uint256 responseTimeout;
    uint256 deliveryRate;
    bytes32 paymentType;
  }

  mapping(bytes32 => RequestInfo) public mapRequestIdInfos;
  uint256 public nonce;

  event MarketplaceRequest(address indexed priorityMech, address indexed requester, bytes32 requestId);

  function request(
    bytes memory requestData,
    uint256 maxDeliveryRate,
    bytes32 paymentType,
    address priorityMech,
    uint256 responseTimeout
  ) external payable returns (bytes32 requestId) {
    requestId = keccak256(
      abi.encode(address(this), priorityMech, msg.sender, keccak256(requestData), maxDeliveryRate, paymentType, nonce++)
    );
    mapRequestIdInfos[requestId] = RequestInfo(
      priorityMech, address(0), msg.sender, block.timestamp + responseTimeout, maxDeliveryRate, paymentType
    );
    emit MarketplaceRequest(priorityMech, msg.sender, requestId);
  }

  function deliver(bytes32 requestId) external {
    mapRequestIdInfos[requestId].deliveryMech = msg.sender;
  }

  /// 0 none, 1 requested, 2 expired, 3 delivered.
  function getRequestStatus(bytes32 requestId) external view returns (uint8) {
    RequestInfo memory info = mapRequestIdInfos[requestId];
    if (info.requester == address(0)) return 0;
    if (info.deliveryMech != address(0)) return 3;
    return block.timestamp > info.responseTimeout ? 2 : 1;
  }
}

/// A wallet that is a contract: what its owner signs counts as signed by it (ERC-1271).
contract TestContractWallet {
  address public owner;

  constructor(address wallet) {
    owner = wallet;
  }

  function isValidSignature(bytes32 hash, bytes memory signature) external view returns (bytes4) {
    bytes32 r;
    bytes32 s;
    uint8 v;
    assembly {
      r := mload(add(signature, 32))
      s := mload(add(signature, 64))
      v := byte(0, mload(add(signature, 96)))
    }
    return ecrecover(hash, v, r, s) == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
  }

  function call(address target, bytes calldata data) external payable returns (bytes memory) {
    require(msg.sender == owner);
    (bool ok, bytes memory result) = target.call{ value: msg.value }(data);
    require(ok);
    return result;
  }
}
